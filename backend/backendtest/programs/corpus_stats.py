"""What analyses use of scipy, statsmodels and seaborn. Each function is one feature; it raises when it does not work."""

import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import (
    cluster,
    fft,
    integrate,
    interpolate,
    io,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)
from statsmodels.tsa.arima.model import ARIMA
from statsmodels.tsa.holtwinters import ExponentialSmoothing
from statsmodels.tsa.seasonal import seasonal_decompose

rng = np.random.default_rng(0)
table = pd.DataFrame({"x": np.arange(200.0), "g": np.array(list("ab") * 100)})
table["y"] = 3 * table["x"] + rng.normal(0, 5, 200)


def scipy_numbers():
    assert abs(optimize.minimize(lambda p: ((p - 3) ** 2).sum(), [0.0, 0.0]).x[0] - 3) < 1e-3
    assert optimize.linprog([-1], A_ub=[[1]], b_ub=[4]).x[0] == 4
    assert abs(optimize.curve_fit(lambda x, a, b: a * x + b, table["x"], table["y"])[0][0] - 3) < 0.1
    assert optimize.differential_evolution(lambda p: (p[0] - 1) ** 2, [(-3, 3)], rng=0).success
    assert abs(integrate.quad(np.exp, 0, 1)[0] - (np.e - 1)) < 1e-9
    assert integrate.solve_ivp(lambda t, y: -y, (0, 1), [1.0]).success
    assert interpolate.CubicSpline([0, 1, 2], [0, 1, 4])(1) == 1
    assert linalg.expm(np.eye(3)).shape == linalg.lu(np.eye(3))[0].shape
    assert special.gamma(5) == 24


def scipy_data():
    assert stats.ttest_ind(table["y"][:100], table["y"][100:]).pvalue < 0.01
    assert stats.linregress(table["x"], table["y"]).rvalue > 0.99
    assert stats.bootstrap((table["y"],), np.mean, n_resamples=100, rng=0).confidence_interval.low > 0
    assert stats.chi2_contingency([[10, 20], [20, 10]]).dof == 1
    assert stats.gaussian_kde(table["y"])(0).shape == (1,)
    assert len(signal.find_peaks(np.sin(np.arange(100) / 3))[0]) > 3
    assert signal.savgol_filter(table["y"], 11, 2).shape == (200,)
    assert sparse.linalg.eigsh(sparse.eye(50) * 2, k=2)[0].max() > 1.9
    assert spatial.cKDTree(rng.normal(size=(500, 3))).query(np.zeros(3), workers=2)[0] > 0
    assert cluster.hierarchy.fcluster(cluster.hierarchy.linkage(rng.normal(size=(30, 2))), 3, "maxclust").max() == 3
    assert cluster.vq.kmeans2(rng.normal(size=(60, 2)), 3, rng=0)[0].shape == (3, 2)
    assert ndimage.gaussian_filter(np.eye(20), 1).sum() > 19
    assert np.allclose(fft.ifft(fft.fft(table["y"].to_numpy(), workers=2)).real, table["y"])


def scipy_files():
    io.savemat("a.mat", {"y": table["y"].to_numpy()})
    assert io.loadmat("a.mat")["y"].shape == (1, 200)
    io.wavfile.write("a.wav", 8000, np.zeros(100, dtype=np.int16))
    assert io.wavfile.read("a.wav")[0] == 8000
    sparse.save_npz("a.npz", sparse.eye(4).tocsr())
    assert sparse.load_npz("a.npz").nnz == 4


def scipy_in_processes():
    found = optimize.differential_evolution(sphere, [(-3, 3)] * 2, workers=2, updating="deferred", maxiter=5, rng=0)
    assert found.fun < 1


def sphere(p):
    return float((p**2).sum())


def models():
    fitted = smf.ols("y ~ x + C(g)", table).fit()
    assert abs(fitted.params["x"] - 3) < 0.1 and "R-squared" in fitted.summary().as_text()
    assert smf.logit("z ~ x", table.assign(z=(table["x"] + rng.normal(0, 50, 200) > 100).astype(int))).fit(disp=0).mle_retvals["converged"]
    assert sm.GLM(table["x"] + 1, sm.add_constant(table[["y"]]), family=sm.families.Gaussian()).fit().converged
    assert smf.mixedlm("y ~ x", table, groups="g").fit().nobs == 200
    assert smf.quantreg("y ~ x", table).fit(q=0.5).params["x"] > 2
    assert sm.stats.multipletests([0.01, 0.5])[1].shape == (2,)


def time_series():
    series = pd.Series(10 + np.arange(96) * 0.1 + np.sin(np.arange(96) * np.pi / 6), index=pd.date_range("2016-01-31", periods=96, freq="ME"))
    assert len(ARIMA(series, order=(1, 1, 0)).fit().forecast(6)) == 6
    assert len(ExponentialSmoothing(series, trend="add", seasonal="add", seasonal_periods=12).fit().forecast(6)) == 6
    assert seasonal_decompose(series, period=12).seasonal.std() > 0.5
    assert sm.tsa.adfuller(table["y"].diff().dropna(), result_object=False)[1] < 0.01
    assert len(sm.tsa.acf(series, nlags=10)) == 11


def seaborn_charts():
    for draw in (
        lambda: sns.heatmap(table[["x", "y"]].corr(), annot=True),
        lambda: sns.boxplot(table, x="g", y="y"),
        lambda: sns.regplot(table, x="x", y="y", n_boot=50),
        lambda: sns.lineplot(table, x="x", y="y", hue="g", n_boot=50),
        lambda: sns.histplot(table, x="y", kde=True),
        lambda: sns.pairplot(table, hue="g"),
        lambda: sns.clustermap(rng.normal(size=(10, 5))),
        lambda: sm.qqplot(table["y"], line="s"),
    ):
        draw()
        plt.savefig("a.png", dpi=50)
        plt.close("all")


for feature in (scipy_numbers, scipy_data, scipy_files, scipy_in_processes, models, time_series, seaborn_charts):
    began = time.perf_counter()
    feature()
    print(f"{feature.__name__} {time.perf_counter() - began:.1f} s ok", flush=True)

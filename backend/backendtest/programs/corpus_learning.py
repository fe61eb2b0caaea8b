"""What analyses use of scikit-learn and joblib. Each function is one feature; it raises when it does not work."""

import os
import time

import joblib
import numpy as np
import pandas as pd
from sklearn import (
    cluster,
    datasets,
    decomposition,
    ensemble,
    linear_model,
    manifold,
    mixture,
    naive_bayes,
    neighbors,
    svm,
    tree,
)
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score, pairwise_distances, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

x, y = datasets.make_classification(400, 10, random_state=0)
train, test, train_y, test_y = train_test_split(x, y, random_state=0)


def estimators():
    for model in (
        linear_model.LogisticRegression(),
        linear_model.RidgeClassifier(),
        ensemble.RandomForestClassifier(20, random_state=0, n_jobs=2),
        ensemble.GradientBoostingClassifier(n_estimators=20, random_state=0),
        ensemble.HistGradientBoostingClassifier(max_iter=20, random_state=0),
        svm.SVC(),
        neighbors.KNeighborsClassifier(n_jobs=2),
        naive_bayes.GaussianNB(),
        tree.DecisionTreeClassifier(random_state=0),
    ):
        assert accuracy_score(test_y, model.fit(train, train_y).predict(test)) > 0.7, model
    assert r2_score(x[:, 0], linear_model.LinearRegression(n_jobs=2).fit(x, x[:, 0]).predict(x)) > 0.99
    assert roc_auc_score(test_y, linear_model.LogisticRegression().fit(train, train_y).predict_proba(test)[:, 1]) > 0.7


def unsupervised():
    assert len(set(cluster.KMeans(3, n_init=3, random_state=0).fit_predict(x))) == 3
    assert len(cluster.DBSCAN(eps=3, n_jobs=2).fit_predict(x)) == 400
    assert decomposition.PCA(2).fit_transform(x).shape == (400, 2)
    assert manifold.TSNE(2, max_iter=250, random_state=0, n_jobs=2).fit_transform(x[:100]).shape == (100, 2)
    assert mixture.GaussianMixture(2, random_state=0).fit(x).converged_
    assert pairwise_distances(x, n_jobs=2).shape == (400, 400)


def pipelines():
    frame = pd.DataFrame({"n": np.where(np.arange(400) % 10 == 0, np.nan, x[:, 0]), "c": np.array(list("abcd"))[np.arange(400) % 4]})
    columns = ColumnTransformer([("n", make_pipeline(SimpleImputer(), StandardScaler()), ["n"]), ("c", OneHotEncoder(), ["c"])])
    model = make_pipeline(columns, linear_model.LogisticRegression()).fit(frame, y)
    assert model.predict(frame).shape == (400,)
    assert permutation_importance(model, frame, y, n_repeats=2, random_state=0, n_jobs=2).importances_mean.shape == (2,)


def searches():
    assert len(cross_val_score(linear_model.LogisticRegression(), x, y, cv=4, n_jobs=2)) == 4
    search = GridSearchCV(tree.DecisionTreeClassifier(random_state=0), {"max_depth": [2, 4]}, cv=3, n_jobs=2).fit(x, y)
    assert search.best_params_["max_depth"] in (2, 4)


def backends():
    assert joblib.effective_n_jobs(-1) == joblib.cpu_count() == 1  # the sandbox has one processor, whatever the host has
    assert set(joblib.Parallel(2)(joblib.delayed(os.getpid)() for _ in range(4))) == {os.getpid()}
    for backend in ("loky", "multiprocessing"):
        assert os.getpid() not in joblib.Parallel(2, backend=backend)(joblib.delayed(os.getpid)() for _ in range(4)), backend
    for backend in ("loky", "threading", "multiprocessing"):
        assert joblib.Parallel(2, backend=backend)(joblib.delayed(abs)(-n) for n in range(6)) == list(range(6)), backend
    big = np.ones(400_000)  # goes through a memory map
    assert joblib.Parallel(2, backend="loky", max_nbytes="1M")(joblib.delayed(np.sum)(big) for _ in range(2)) == [400_000.0] * 2


def models_in_files():
    joblib.dump(linear_model.LogisticRegression().fit(x, y), "m.joblib", compress=3)
    assert joblib.load("m.joblib").predict(x).shape == (400,)
    memory = joblib.Memory("/tmp/cache", verbose=0)
    assert memory.cache(np.square)(3) == memory.cache(np.square)(3) == 9
    assert os.path.isdir("/tmp/cache")


for feature in (estimators, unsupervised, pipelines, searches, backends, models_in_files):
    began = time.perf_counter()
    feature()
    print(f"{feature.__name__} {time.perf_counter() - began:.1f} s ok", flush=True)

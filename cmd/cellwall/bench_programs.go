package main

// readyTarget is how many sandboxes the benchmark's pool keeps ready.
const readyTarget = 16

// The programs. Their data, columns and types are not those of the sample that
// a child runs before it waits.
const (
	programTrivial = "print(6 * 7)\n"

	programGroupby = `
names = np.array([f"station-{i:02d}" for i in range(12)])
frame = pd.DataFrame({
    "station": names[np.arange(1000) * 5 % 12],
    "depth": (np.arange(1000) * 37 % 211) / 10,
    "sightings": np.arange(1000) % 97,
    "night": np.arange(1000) % 3 == 0,
})
print(frame.groupby("station")["depth"].mean().round(3).to_string())
`

	// No warm-up ran anything like it.
	programUnwarmed = `
days = pd.date_range("2024-01-01", periods=400, freq="D")
readings = pd.DataFrame({"day": days, "site": [f"s{i % 5}" for i in range(400)], "level": np.sin(np.arange(400) / 9)})
wide = readings.pivot_table(index=readings["day"].dt.month, columns="site", values="level", aggfunc="median")
smooth = readings.set_index("day")["level"].rolling(7).mean().dropna()
ranks = readings["site"].str.upper().str.replace("S", "site ").value_counts()
print(wide.round(2).to_csv(), len(smooth), ranks.to_dict(), smooth.quantile([0.1, 0.9]).round(3).tolist())
`

	// For a fresh interpreter, which has to import first.
	preamble = "import numpy as np\nimport pandas as pd\n"
)

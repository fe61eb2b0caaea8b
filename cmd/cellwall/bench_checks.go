package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cellwall/cellwall/policy"
)

// benchChecks is how many times the chain reads its program.
const benchChecks = 400

// checks measures the whole chain of the profile strict over a program of 100
// lines that it lets pass, in a warm checker.
func (b *bench) checks(ctx context.Context) error {
	took := make([]time.Duration, 0, benchChecks)
	for n := range benchChecks + 1 { // the first opens the checker
		began := time.Now()
		found, verdict, err := b.house.chain.Check(ctx, policy.Program{
			Source: programHundredLines(), Profile: policy.Strict, Environment: b.env,
		})
		if err != nil {
			return err
		}
		if verdict != policy.Pass {
			return fmt.Errorf("the program is met by %+v", found)
		}
		if n > 0 {
			took = append(took, time.Since(began))
		}
	}
	b.figures.set("chain_ms", ms(median(took)))
	return nil
}

// programHundredLines is an analysis as models write it, of exactly so many lines.
func programHundredLines() string {
	lines := strings.SplitAfter(strings.Repeat(programAnalysis, 6), "\n")
	return strings.Join(lines[:100], "")
}

const programAnalysis = `import pandas as pd
import numpy as np
sales = df.copy()
sales["margin"] = (sales["revenue"] - sales["cost"]) / sales["revenue"].replace(0, np.nan)
monthly = sales.groupby(pd.Grouper(key="order_date", freq="ME"))["revenue"].sum()
totals = {}
for region, group in sales.groupby("region"):
    for _, row in group.iterrows():
        if row["qty"] > 3 and not pd.isna(row["revenue"]):
            totals[region] = totals.get(region, 0) + float(row["revenue"])
        else:
            totals["other"] = totals.get("other", 0) - 1.5
fig, ax = plt.subplots(figsize=(8, 4))
ax.bar(list(totals), [totals[k] for k in totals], color="steelblue", label="sum")
ax.set_title(f"Total by {len(totals):,} regions")
fig.savefig(out_dir + "/totals.png", dpi=150)
print(monthly.describe().to_string(), totals)
best = sales.sort_values("margin", ascending=False).head(10)
print(best[["region", "margin"]].to_string(index=False))
`

# 各区域与各月的销售：一张图，一句话，一张表。
by_region = df.groupby("区域")[["销售额", "利润"]].sum().sort_values("销售额", ascending=False)
monthly = df.groupby(pd.to_datetime(df["订单日期"]).dt.to_period("M"))["销售额"].sum()

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
(by_region / 10_000).plot.bar(ax=left, rot=0, color=["#2f6f9f", "#e0a030"], width=0.75)
left.set(title="各区域销售额与利润", xlabel="区域", ylabel="金额（万元）")
right.plot(monthly.index.to_timestamp(), monthly / 10_000, marker="o", color="#2f6f9f")
right.set(title="每月销售额", xlabel="月份", ylabel="销售额（万元）")
right.tick_params(axis="x", rotation=40)
fig.tight_layout()
fig.savefig(f"{out_dir}/orders_zh.png", dpi=150)
plt.close(fig)

print(f"销售额合计 {df['销售额'].sum():,.2f}，亏损订单 {(df['利润'] < 0).sum()} 笔")
by_region

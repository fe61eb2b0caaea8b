# Which species is heaviest, and does a longer flipper mean a heavier bird?
mass = df.groupby("species")["body_mass_g"].agg(["mean", "count"])
known = df.dropna(subset=["flipper_length_mm", "body_mass_g"])
slope, start = np.polyfit(known["flipper_length_mm"], known["body_mass_g"], 1)

fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for species, rows in known.groupby("species"):
    ax.scatter(rows["flipper_length_mm"], rows["body_mass_g"], s=18, alpha=0.7, label=species)
ends = known["flipper_length_mm"].agg(["min", "max"])
ax.plot(ends, start + slope * ends, color="black", linewidth=1, label=f"{slope:.1f} g per mm")
ax.set(title="Body mass by flipper length", xlabel="flipper length (mm)", ylabel="body mass (g)")
ax.legend()
fig.savefig(f"{out_dir}/penguins.png", dpi=150)
plt.close(fig)

print(f"{mass['mean'].idxmax()} is heaviest: {mass['mean'].max():,.0f} g on average")
mass

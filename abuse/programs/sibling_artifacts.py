# Ordinary results, in folders and with names in other scripts.
import os

os.makedirs("charts/2024", exist_ok=True)
with open("charts/2024/table.csv", "w") as file:
    file.write("a,b\n1,2\n")
with open("\u56fe\u8868.txt", "w") as file:
    file.write("text")
with open("quarter report (final).md", "w") as file:
    file.write("# Report\n")
print("ADMITTED", len(os.listdir(".")))

# Names that break lists, terminals, shells and comparisons.

names = [
    "new\nline.csv", "return\r.csv", "escape\x1b[2J.csv", "bell\x07.csv", "-rf", "--help", "..name", "...", "back\\slash.csv",
    "C:\\windows.csv", "n" * 255, "rtl\u202etxt.exe", "cafe\u0301.txt", "caf\u00e9.txt", "trailing.txt ", "trailing.txt.", " ",
    "zero\u200bwidth.txt", "quote\".csv", "tab\t.csv", "$(id).csv", "a;b.csv", "%2e%2e%2f.csv", "COM1", "line\u2028.csv",
]
made = 0
for name in names:
    try:
        with open(name, "w") as file:
            file.write("x")
        made += 1
    except OSError as error:
        print("not made", ascii(name), error)
print("MADE", made)

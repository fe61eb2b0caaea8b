# A spreadsheet: what looks like a formula is one.
import csv
import glob
import subprocess
import sys

subprocess.run([sys.executable, sys.argv[1]])
for name in sorted(glob.glob("table*.csv")):
    with open(name, newline="") as file:
        for row in csv.reader(file):
            for cell in row:
                if cell == "=1+1":
                    escaped("cell", f"{cell} of {name} became {eval(cell[1:])}")

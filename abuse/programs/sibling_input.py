# Read the input, change a copy.
import shutil

shutil.copyfile("/workspace/input/numbers.csv", "copy.csv")
with open("copy.csv", "a") as file:
    file.write("3\n")
with open("copy.csv") as file:
    print("ADMITTED", file.read().split())

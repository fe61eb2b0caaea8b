# Import what is there, one's own module among it, and hear of what is not.
import colorsys
import sys

with open("mine.py", "w") as file:
    file.write("value = 42\n")
sys.path.insert(0, ".")
import mine

try:
    import prophet
except ModuleNotFoundError as error:
    missing = error.name
print("ADMITTED", mine.value, missing, colorsys.rgb_to_hsv(0, 0, 0))

# A seed gives the same numbers everywhere.
import random

random.seed(42)
print("ADMITTED", random.random(), random.Random(7).randint(0, 1000))

# Print without end.
line = "x" * 99
while True:
    print(line)

# Cells that a spreadsheet runs when somebody opens the table.
CELLS = ("=1+1", "=HYPERLINK(\"http://192.0.2.1/\")", "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1,1)", "\t=1+1")
for number, cell in enumerate(CELLS):
    with open(f"table{number}.csv", "w", newline="") as file:
        file.write('name,value\r\nsum,"' + cell.replace('"', '""') + '"\r\n')
with open("numbers.csv", "w") as file:
    file.write("name,value\nloss,-1.5\ngain,+2\nnone,-\nphone,+1 (555) 123\n")
print("MADE", len(CELLS) + 1)

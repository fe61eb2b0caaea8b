# Files with everything that readers make of files, for templates to hold.
import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

n = 300
columns = {
    "i8": pa.array([i % 100 for i in range(n)], pa.int8()),
    "gaps": pa.array([None if i % 7 == 0 else i for i in range(n)], pa.int64()),
    "large gaps": pa.array([None if i % 7 == 0 else (1 << 60) + i for i in range(n)], pa.int64()),
    "u64": pa.array([None if i % 9 == 0 else (1 << 63) + i for i in range(n)], pa.uint64()),
    "f32": pa.array([None if i % 5 == 0 else i / 3 for i in range(n)], pa.float32()),
    "bool": pa.array([i % 2 == 0 for i in range(n)]),
    "bool gaps": pa.array([None if i % 3 == 0 else i % 2 == 0 for i in range(n)]),
    "text": pa.array([None if i % 11 == 0 else f"销售 {i % 13}😀" for i in range(n)]),
    "category": pa.array([None if i % 4 == 0 else f"c{i % 3}" for i in range(n)]).dictionary_encode(),
    "date": pa.array([None if i % 6 == 0 else date(2024, 1, 1) + timedelta(i) for i in range(n)]),
    "naive": pa.array([datetime(2024, 1, 1) + timedelta(hours=i) for i in range(n)], pa.timestamp("us")),
    "utc": pa.array([None if i % 8 == 0 else datetime(2024, 1, 1) + timedelta(hours=i) for i in range(n)], pa.timestamp("ms", "UTC")),
    "berlin": pa.array([datetime(2024, 10, 26) + timedelta(hours=i) for i in range(n)], pa.timestamp("ns", "Europe/Berlin")),
    "offset": pa.array([datetime(2024, 10, 26) + timedelta(hours=i) for i in range(n)], pa.timestamp("ns", "+05:30")),
    "time": pa.array([time(i % 24, 59, 1) for i in range(n)]),
    "duration": pa.array([timedelta(seconds=i) for i in range(n)], pa.duration("ms")),
    "decimal": pa.array([None if i % 10 == 0 else Decimal(i).scaleb(-2) for i in range(n)], pa.decimal128(10, 2)),
    "bytes": pa.array([bytes([i % 256, 0]) for i in range(n)]),
    "list": pa.array([None if i % 12 == 0 else [i, None, i + 1] for i in range(n)]),
    "struct": pa.array([{"a": i, "b": {"c": [f"{i}"]}} for i in range(n)]),
    "moments": pa.array([[datetime(2024, 1, 1)] for _ in range(n)], pa.list_(pa.timestamp("ns", "UTC"))),
    "map": pa.array([[("k", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
}
pq.write_table(pa.table(columns), "all.parquet")

book = openpyxl.Workbook()
book.remove(book.active)
for number in range(40):
    sheet = book.create_sheet(f"月 {number}")
    sheet.append(["kind", "amount", "when", "at", "mixed", "flag"])
    for i in range(number):
        mixed = [1, "x", None, 2.5, True, date(2024, 1, 2)][i % 6]
        sheet.append([f"k{i % 3}", i / 2, datetime(2024, 1, 1) + timedelta(i), time(i % 24, 1), mixed, i % 2 == 0])
book.save("many.xlsx")

with open("nested.json", "w") as file:
    json.dump([{"id": i, "tags": ["a", i], "of": {"x": None, "y": [i, {"z": 1.5}]}, "mixed": [1, "1", None, 2.5][i % 4]} for i in range(n)], file)
with open("mixed.csv", "w") as file:
    file.write("code,value,note\n")
    for i in range(n * 30):
        file.write(f"{i:06},{'n/a' if i % 997 == 0 else i / 7},{'' if i % 3 else 'a ' + chr(0x4e00 + i % 500)}\n")
with open("wide.csv", "w") as file:
    file.write(",".join(f"c{i}" for i in range(1500)) + "\n" + (",".join(str(i) for i in range(1500)) + "\n") * 3)

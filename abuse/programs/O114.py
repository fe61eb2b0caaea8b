# A value that fights whoever wants to show it.


class Hostile:
    depth = 0

    def __repr__(self):
        raise SystemExit(0)

    __str__ = _repr_html_ = _repr_json_ = __repr__

    def __len__(self):
        return 1 << 62

    def __iter__(self):
        while True:
            yield self

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None
    __class__ = property(lambda self: int)


deep = []
for _ in range(20_000):
    deep = [deep]
show = globals().get("display", lambda *values: None)
show(Hostile())
show(float("nan"), float("inf"), 1, deep)
print("SHOWN", flush=True)
{"nan": float("nan"), "surrogate": "\ud800", "hostile": Hostile()}

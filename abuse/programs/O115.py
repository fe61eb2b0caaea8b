# An error that is worse than what it tells of.


class Worst(Exception):
    def __str__(self):
        return "x" * (4 << 20)

    def __repr__(self):
        raise self


def fall(n):
    if n == 0:
        raise Worst
    try:
        fall(n - 1)
    except Worst as error:
        raise Worst from error


print("FALLING", flush=True)
fall(40)

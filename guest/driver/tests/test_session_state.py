"""What one cell leaves behind the next one finds: M40."""


def test_M40_names_live_on(live):
    assert live.say("import math\nx = 41") == ""
    assert live.say("print(x + 1, math.pi > 3)") == "42 True\n"

# Text that acts on whoever shows it.

ESC = "\x1b"
print(ESC + "]0;owned\x07" + "title")
print(ESC + "]52;c;b3duZWQ=\x07" + "clipboard")
print(ESC + "]8;;http://192.0.2.1/\x07link" + ESC + "]8;;\x07")
print("real balance 10\rfake balance 99")
print("deleted" + "\b" * 7 + "instead")
print(ESC + "[2J" + ESC + "[1;1H" + "cleared")
print("\u202egnirts desrever\u202c", "zero\u200bwidth", "\x9b2J")
print("tags \U000e0041\U000e0042\U000e007f", "mark \ufeff", "line \u2028 end", "joined \u2060")
print("SHOWN", flush=True)
raise ValueError(ESC + "[31mred error\x07")

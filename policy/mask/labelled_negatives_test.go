package mask_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// hardNegatives look like personal data and are none.
var hardNegatives = []struct {
	name string
	make func(*rand.Rand) value
}{
	{"id with a wrong check digit", func(r *rand.Rand) value {
		n := idOf(r, birthDate(r))
		wrong := "0123456789"[(strings.IndexByte("0123456789X", n[17])+1+r.IntN(9))%10]
		if wrong == n[17] {
			wrong = "0123456789"[(int(wrong-'0')+1)%10]
		}
		return plain(n[:17] + string(wrong))
	}},
	{"id of an impossible date", func(r *rand.Rand) value {
		return plain(idOf(r, fmt.Sprint(1950+r.IntN(60))+one(r, "0230", "1301", "0000", "0431", "0632", "1132", "9999")))
	}},
	{"id of no province", func(r *rand.Rand) value {
		return plain("0" + digits(r, 17))
	}},
	{"card that fails Luhn", func(r *rand.Rand) value {
		n, sizes := cardNumber(r)
		n = n[:len(n)-1] + string("1234567890"[n[len(n)-1]-'0'])
		return one(r, plain(n), value{text: grouped(n, " ", sizes...)}, value{text: grouped(n, "-", sizes...)})
	}},
	{"no mobile prefix", func(r *rand.Rand) value {
		return plain(one(r, "10", "11", "12", "2"+digits(r, 1), "5"+digits(r, 1), "9"+digits(r, 1)) + digits(r, 9))
	}},
	{"one digit too few or too many", func(r *rand.Rand) value {
		n := one(r, mobilePrefixes...) + digits(r, 8)
		return one(r, plain(n[:10]), plain(n+digits(r, 1)))
	}},
	{"order number with its date", func(r *rand.Rand) value {
		day := "20" + fmt.Sprintf("%02d%02d%02d", 10+r.IntN(16), 1+r.IntN(12), 1+r.IntN(28))
		return one(r, plain(day+digits(r, 4+2*r.IntN(5))), value{text: one(r, "ORD", "SO-", "PO") + day + "-" + digits(r, 6)}, value{text: "SF" + digits(r, 13)})
	}},
	{"snowflake", func(r *rand.Rand) value { return plain("1" + digits(r, 17+r.IntN(2))) }},
	{"seconds and parts of them", func(r *rand.Rand) value {
		return plain("1" + strconv.Itoa(4+r.IntN(4)) + digits(r, one(r, 8, 11, 14, 17)))
	}},
	{"date and time", func(r *rand.Rand) value {
		return value{text: fmt.Sprintf(one(r, "%d-%02d-%02dT%02d:%02d:%02d.%06d+08:00", "%d/%02d/%02d %02d:%02d:%02d,%03d", "%d%02d%02d%02d%02d%02d"),
			2000+r.IntN(30), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(999))}.without("%!")
	}},
	{"fraction", func(r *rand.Rand) value {
		return plain(one(r, "0.", "-3.", "12.") + one(r, mobilePrefixes...) + digits(r, one(r, 8, 13)))
	}},
	{"amount with cents", func(r *rand.Rand) value {
		return plain(one(r, mobilePrefixes...) + digits(r, 8) + "." + digits(r, 1) + "5")
	}},
	{"exponent", func(r *rand.Rand) value {
		return plain(digits(r, 1) + "." + one(r, mobilePrefixes...) + digits(r, 8) + one(r, "e+10", "e-05", "E+18", "e308"))
	}},
	{"negative number", func(r *rand.Rand) value { return plain("-" + one(r, mobilePrefixes...) + digits(r, 8)) }},
	{"thousands", func(r *rand.Rand) value {
		n := "13," + digits(r, 3) + "," + digits(r, 3) + "," + digits(r, 3)
		return value{text: one(r, n, "¥"+n, "$"+n+".00", "+"+n)}
	}},
	{"hash", func(r *rand.Rand) value { return value{text: hexadecimal(r, one(r, 32, 40, 64))} }},
	{"digits in a hash", func(r *rand.Rand) value {
		return value{text: hexadecimal(r, 6) + "a" + one(r, mobilePrefixes...) + digits(r, 8) + "f" + hexadecimal(r, 6)}
	}},
	{"uuid", func(r *rand.Rand) value {
		of := one(r, hexadecimal, digits)
		return value{text: of(r, 8) + "-" + of(r, 4) + "-4" + of(r, 3) + "-8" + of(r, 3) + "-" + of(r, 12)}
	}},
	{"address of a machine", func(r *rand.Rand) value {
		return value{text: one(r, fmt.Sprintf("%d.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256)),
			fmt.Sprintf("2001:db8:%x:%x::%x", r.IntN(65536), r.IntN(65536), r.IntN(65536)), "00:1b:63:84:45:e6")}
	}},
	{"version", func(r *rand.Rand) value {
		return value{text: fmt.Sprintf(one(r, "%d.%d.%d", "v%d.%d.%d-rc1", "numpy==%d.%d.%d", "react@%d.%d.%d", "left-pad@^%d.%d.%d"), r.IntN(30), r.IntN(30), r.IntN(30))}
	}},
	{"numbers of an array", func(r *rand.Rand) value {
		var all []string
		for range 6 + r.IntN(6) {
			all = append(all, strconv.Itoa(1000+r.IntN(9000)))
		}
		return value{text: "[" + strings.Join(all, one(r, " ", ", ", "  ")) + "]"}
	}},
	{"goods and devices", func(r *rand.Rand) value { // EAN-13, ISBN, IMEI, ICCID, the code of a company
		return plain(one(r, "69"+digits(r, 11), "978"+digits(r, 10), withLuhn("35"+digits(r, 12)), withLuhn("86"+digits(r, 12)), "8986"+digits(r, 16), "91110108592366240"+digits(r, 1)))
	}},
	{"short numbers", func(r *rand.Rand) value {
		return value{text: one(r, "10086", "95588", "400-820-8820", "110", "+0800", "UTC+8", "+12.5%", "QQ "+digits(r, 9), "CNAPS "+digits(r, 12))}
	}},
	{"no country code", func(r *rand.Rand) value { return value{text: "+" + one(r, "210", "999", "03") + digits(r, 8)} }},
	{"at without an address", func(r *rand.Rand) value {
		return value{text: one(r, "@"+word(r), "@app.route", word(r)+"@"+word(r), "@functools.wraps", "root@localhost:~$", "A@B.T", "X.T@df.values",
			"weights@frame.iloc[0]", "icon@2x.png", "a@b.c", "@"+word(r)+".setter", "user@", "@example.com", "image@sha256:"+hexadecimal(r, 12), "3@4.5", "x@y@z")}
	}},
	{"git", func(r *rand.Rand) value {
		return value{text: one(r, "git@github.com:"+word(r)+"/"+word(r)+".git", "ssh://git@example.com/"+word(r), "https://token@github.com/"+word(r), "git+ssh://git@gitlab.com/x.git@v1.0.2",
			"postgres://app:secret@db.example.com/x", "pip install git+https://example.com/a/b.git@main")}
	}},
}

// plain is a negative that can stand bare in JSON when it is a number there.
func plain(s string) value {
	bare := strings.TrimLeft(s, "-")
	return value{text: s, number: bare[0] != '0' || strings.HasPrefix(bare, "0.")}
}

// without drops what a verb too many wrote.
func (v value) without(mark string) value {
	v.text, _, _ = strings.Cut(v.text, mark)
	return v
}

func hexadecimal(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[r.IntN(16)]
	}
	return string(b)
}

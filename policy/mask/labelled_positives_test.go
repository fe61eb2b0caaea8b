package mask_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// mobilePrefixes are those that China's numbering plan gives to mobile networks.
var mobilePrefixes = strings.Fields(`130 131 132 133 134 135 136 137 138 139 145 147 149 150 151 152 153 155 156 157 158 159
	162 165 166 167 170 171 172 173 174 175 176 177 178 180 181 182 183 184 185 186 187 188 189 190 191 192 193 195 196 197 198 199`)

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func digits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + r.IntN(10))
	}
	return string(b)
}

// grouped writes number in groups of the given sizes; what is left is the last.
func grouped(number, between string, sizes ...int) string {
	var parts []string
	for _, n := range sizes {
		n = min(n, len(number))
		parts, number = append(parts, number[:n]), number[n:]
	}
	if number != "" {
		parts = append(parts, number)
	}
	return strings.Join(parts, between)
}

// wide writes ASCII digits as fullwidth ones.
func wide(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c - '0' + '０'
		}
		return c
	}, s)
}

func mobile(r *rand.Rand) value {
	n := one(r, mobilePrefixes...) + digits(r, 8)
	between := one(r, " ", "-")
	switch r.IntN(10) {
	case 0:
		return value{kind: "phone", text: grouped(n, between, 3, 4, 4)}
	case 1:
		return value{kind: "phone", text: "+86" + n}
	case 2:
		return value{kind: "phone", text: "+86 " + n}
	case 3:
		return value{kind: "phone", text: "+86" + between + grouped(n, between, 3, 4, 4)}
	case 4:
		return value{kind: "phone", text: one(r, "86", "0086", "+86-", "86-") + n}
	case 5:
		return value{kind: "phone", text: wide(n)}
	}
	return value{kind: "phone", text: n, number: true}
}

// checkDigitOfID is ISO 7064 MOD 11-2 over the first 17 digits.
func checkDigitOfID(first17 string) byte {
	sum := 0
	for i, w := range []int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2} {
		sum += int(first17[i]-'0') * w
	}
	return "10X98765432"[sum%11]
}

var provinces = strings.Fields(`11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82`)

func idOf(r *rand.Rand, date string) string {
	first := one(r, provinces...) + fmt.Sprintf("%02d%02d", 1+r.IntN(30), 1+r.IntN(30)) + date + digits(r, 3)
	return first + string(checkDigitOfID(first))
}

func birthDate(r *rand.Rand) string {
	return fmt.Sprintf("%04d%02d%02d", 1920+r.IntN(104), 1+r.IntN(12), 1+r.IntN(28))
}

func residentID(r *rand.Rand) value {
	n := idOf(r, birthDate(r))
	bare := !strings.HasSuffix(n, "X")
	switch r.IntN(10) {
	case 0:
		return value{kind: "id", text: strings.ToLower(n), number: bare}
	case 1:
		return value{kind: "id", text: wide(n)}
	case 2:
		return value{kind: "id", text: grouped(n, one(r, " ", "-"), 6, 8, 4)}
	}
	return value{kind: "id", text: n, number: bare}
}

func luhnHolds(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// withLuhn completes number by its check digit.
func withLuhn(number string) string {
	for d := '0'; d < '9'; d++ {
		if luhnHolds(number + string(d)) {
			return number + string(d)
		}
	}
	return number + "9"
}

// cardNumber returns a number of one of the networks, and how it is printed.
func cardNumber(r *rand.Rand) (number string, sizes []int) {
	four := []int{4, 4, 4, 4}
	switch r.IntN(7) {
	case 0:
		return withLuhn("4" + digits(r, 14)), four // Visa
	case 1:
		return withLuhn(fmt.Sprint(51+r.IntN(5)) + digits(r, 13)), four // Mastercard
	case 2:
		return withLuhn(fmt.Sprint(2221+r.IntN(500)) + digits(r, 11)), four // its second range
	case 3:
		return withLuhn(one(r, "34", "37") + digits(r, 12)), []int{4, 6, 5} // American Express
	case 4:
		return withLuhn("62" + digits(r, 13)), four // UnionPay, of 16
	}
	n := withLuhn("62" + digits(r, 16)) // of 19, as most cards of Chinese banks
	return n, one(r, four, []int{6, 13})
}

func bankCard(r *rand.Rand) value {
	n, sizes := cardNumber(r)
	switch r.IntN(6) {
	case 0:
		return value{kind: "card", text: grouped(n, " ", sizes...)}
	case 1:
		return value{kind: "card", text: grouped(n, "-", sizes...)}
	case 2:
		return value{kind: "card", text: wide(n)}
	}
	return value{kind: "card", text: n, number: true}
}

const atext = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// word is an atom of RFC 5321.
func word(r *rand.Rand) string {
	b := make([]byte, 1+r.IntN(9))
	for i := range b {
		b[i] = atext[r.IntN(len(atext))]
	}
	return string(b)
}

func email(r *rand.Rand) value {
	local := one(r, "zhang.wei", "li_na", "wang-fang", "j.doe", "info", "o'brien", "first.last", word(r), word(r), word(r)+one(r, ".", "_", "-")+word(r),
		digits(r, 5+r.IntN(6)), one(r, mobilePrefixes...)+digits(r, 8))
	switch r.IntN(25) {
	case 0, 1:
		local += "+" + word(r) // a detail
	case 2:
		local += one(r, "!", "#", "$", "%", "&", "*", "~", "^") + word(r) // what else an atom may hold
	case 3:
		local = "bounce-" + digits(r, 4) + "-" + word(r) + "=example.com" // VERP
	}
	domain := one(r, "example.com", "example.org", "mail.example.net", "qq.com", "163.com", "vip.163.com", "sina.com.cn", "pku.edu.cn",
		"gmail.com", "example.co.uk", "xn--fiqs8s.cn", "a-b.example.io", "MAIL.EXAMPLE.COM", "corp.internal", strings.ToLower(word(r))+".cn")
	return value{kind: "email", text: local + "@" + domain}
}

// plans are national numbers in the form that their plans have, without the trunk
// zero: # is a digit.
var plans = []string{
	"+1 2## 555 ####", "+1-4##-5##-####", "+1 (6##) 4##-####", "+12125######", "+44 20 7### ####", "+447700######",
	"+49 30 #######", "+49151########", "+33 6 ## ## ## ##", "+33612######", "+81 90-####-####", "+8190########",
	"+82 10-####-####", "+852 9### ####", "+8526#######", "+853 6### ####", "+886 9## ### ###", "+8869########",
	"+65 8### ####", "+6591######", "+61 4## ### ###", "+91 98### #####", "+9198########", "+55 11 9####-####",
	"+7 9## ###-##-##", "+79#########", "+971 50 ### ####", "+86 10 6### ####", "+86-21-5###-####", "+34 6## ### ###",
}

func international(r *rand.Rand) value {
	b := []byte(one(r, plans...))
	for i, c := range b {
		if c == '#' {
			b[i] = byte('0' + r.IntN(10))
		}
	}
	return value{kind: "phone", text: string(b)}
}

package mask

import "strings"

// E.164: a country code and at most fifteen digits in all.
const maxInternational = 15

// codes lists the country codes that are given out, but those of which all digits
// behind the first few are.
const codes = "1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98 " +
	"211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 " +
	"250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 " +
	"370 371 372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 " +
	"590 591 592 593 594 595 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 " +
	"850 852 853 855 856 880 886 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 992 993 994 995 996 998"

// lengths are the digits of national numbers where a plan has few of them.
var lengths = map[string][2]int{
	"1": {10, 10}, "7": {10, 10}, "33": {9, 9}, "34": {9, 9}, "44": {9, 10}, "49": {8, 11}, "55": {10, 11}, "61": {9, 9},
	"65": {8, 8}, "81": {9, 10}, "82": {8, 10}, "86": {10, 11}, "91": {10, 10}, "852": {8, 8}, "853": {8, 8}, "886": {8, 9}, "971": {8, 9},
}

// span is the least and the most digits of a number, country code included.
type span struct{ low, high int }

// plans are the spans by country code; none where it is not given out.
var plans = func() (t [1000]span) {
	for _, code := range strings.Fields(codes) {
		n := len(code)
		of := span{max(9, n+7), min(n+11, maxInternational)}
		if l, known := lengths[code]; known {
			of = span{n + l[0], n + l[1]}
		}
		t[decimal([]byte(code))] = of
	}
	return t
}()

// international returns where a number ends that begins at i behind a plus, 0 when
// there is none. Groups may have a space, a hyphen, parentheses between them.
func (s *scanner) international(i int) int {
	if c := s.at(i - 2); alphanumeric(c) && s.escape(i-1) < 0 || c == '*' {
		return 0
	}
	var space [maxInternational]byte
	number, end := space[:0], 0
	for at := i; ; {
		g := s.piece(at)
		if g.n == 0 || len(number)+g.n > maxInternational {
			return end
		}
		number = narrow(number, s.text[at:g.end])
		n, of := len(number), plan(number)
		if n >= of.low && n <= of.high && national(number) && s.endsAt(g.end) {
			end = g.end
		}
		at = s.between(g.end)
	}
}

// between returns where the next group can begin behind one that ends at i.
func (s *scanner) between(i int) int {
	for k := range 2 {
		if c := s.at(i + k); c == 0 || strings.IndexByte(" -()", c) < 0 {
			return i + k
		}
	}
	return i + 2
}

// plan is the span of a number by the code that it begins with.
func plan(number []byte) span {
	if number[0] == '0' {
		return span{}
	}
	for n, code := 1, 0; n <= 3 && n < len(number); n++ {
		code = 10*code + int(number[n-1]-'0')
		if plans[code].high > 0 {
			return plans[code]
		}
	}
	return span{}
}

// national reports whether what follows the code can be a subscriber's, where its
// plan says more than a length.
func national(number []byte) bool {
	switch {
	case number[0] == '1': // area and exchange begin with 2 to 9
		return number[1] >= '2' && number[4] >= '2'
	case string(number[:2]) == "86" && len(number) == 13:
		return mobile(number[2:]) || number[2] >= '2'
	}
	return true
}

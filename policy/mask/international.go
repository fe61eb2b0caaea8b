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

// given are the codes.
var given = func() map[string]bool {
	all := map[string]bool{}
	for _, code := range strings.Fields(codes) {
		all[code] = true
	}
	return all
}()

// lengths are the digits of national numbers where a plan has few of them.
var lengths = map[string][2]int{
	"1": {10, 10}, "7": {10, 10}, "33": {9, 9}, "34": {9, 9}, "44": {9, 10}, "49": {8, 11}, "55": {10, 11}, "61": {9, 9},
	"65": {8, 8}, "81": {9, 10}, "82": {8, 10}, "86": {10, 11}, "91": {10, 10}, "852": {8, 8}, "853": {8, 8}, "886": {8, 9}, "971": {8, 9},
}

// international returns where a number ends that begins at i behind a plus, 0 when
// there is none. Groups may have a space, a hyphen, parentheses between them.
func (s *scanner) international(i int) int {
	if c := s.at(i - 2); alphanumeric(c) && s.escape(i-1) < 0 || c == '*' {
		return 0
	}
	var b [maxInternational + 1]byte
	n, end := 0, 0
	for at := i; ; {
		size := n
		for n <= maxInternational && s.digitAt(at) >= 0 {
			b[n] = byte('0' + s.digitAt(at))
			n++
			at += s.width(at)
		}
		if n > maxInternational || n == size {
			break
		}
		if low, high := plan(string(b[:n])); n >= low && n <= high && national(string(b[:n])) && s.endsAt(at) {
			end = at
		}
		at = s.between(at)
	}
	return end
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

// plan returns the least and most digits of a number, country code included; 0 and -1
// when its code is not given out.
func plan(number string) (low, high int) {
	for n := 1; n <= 3 && n < len(number); n++ {
		if !given[number[:n]] {
			continue
		}
		if l, known := lengths[number[:n]]; known {
			return n + l[0], n + l[1]
		}
		return max(9, n+7), min(n+11, maxInternational)
	}
	return 0, -1
}

// national reports whether what follows the code can be a subscriber's, where its
// plan says more than a length.
func national(number string) bool {
	switch {
	case number[0] == '1': // area and exchange begin with 2 to 9
		return number[1] >= '2' && number[4] >= '2'
	case number[:2] == "86" && len(number) == 13:
		return mobile(number[2:]) || number[2] >= '2'
	}
	return true
}

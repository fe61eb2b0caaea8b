package mask

// domestic reports whether eleven digits or more are a mobile number as it is written
// in mainland China, from where it may be called in four ways.
func domestic(s []byte) bool {
	switch prefix := s[:len(s)-11]; string(prefix) {
	case "", "86", "00", "0086":
		return mobile(s[len(prefix):])
	}
	return false
}

// mobile reports whether s is a mobile number of mainland China.
func mobile(s []byte) bool { return len(s) == 11 && s[0] == '1' && s[1] >= '3' }

// resident reports whether s is a resident identity number, as GB 11643 has it: six
// digits of a place, a date of birth, three of order, a check digit, which may be X.
func resident(s []byte) bool {
	return len(s) == 18 && ordered(s) && s[17] == checkDigit(s[:17])
}

// residentX reports whether s is one without its check digit, which is X.
func residentX(s []byte) bool {
	return len(s) == 17 && ordered(s) && checkDigit(s) == 'X'
}

// ordered reports whether s begins with a place and a day.
func ordered(s []byte) bool { return place(s) && birth(s[6:14]) }

// provinces are the first two digits of places.
var provinces = func() (t [100]bool) {
	for _, code := range []int{
		11, 12, 13, 14, 15, 21, 22, 23, 31, 32, 33, 34, 35, 36, 37, 41, 42, 43, 44, 45, 46,
		50, 51, 52, 53, 54, 61, 62, 63, 64, 65, 71, 81, 82, 83,
	} {
		t[code] = true
	}
	return t
}()

// place reports whether the first digits are those of a province, or of the card
// that foreigners with a permanent residence have.
func place(s []byte) bool { return s[0] == '9' || provinces[decimal(s[:2])] }

var days = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// birth reports whether yyyymmdd was a day of the last two centuries or is one of this.
func birth(s []byte) bool {
	year, month, day := decimal(s[:4]), decimal(s[4:6]), decimal(s[6:])
	if year < 1850 || year > 2099 || month < 1 || month > 12 || day < 1 {
		return false
	}
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	return day <= days[month-1] || leap && month == 2 && day == 29
}

// weights are 2 to the power of 17 to 1, modulo 11: those of ISO 7064, MOD 11-2.
var weights = [17]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}

// checkDigit is that of 17 digits.
func checkDigit(s []byte) byte {
	sum := 0
	for i, weight := range weights {
		sum += int(s[i]-'0') * weight
	}
	return "10X98765432"[sum%11]
}

func decimal(s []byte) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

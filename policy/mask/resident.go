package mask

// mobile reports whether s is a mobile number of mainland China.
func mobile(s string) bool { return len(s) == 11 && s[0] == '1' && s[1] >= '3' }

// resident reports whether s is a resident identity number, as GB 11643 has it: six
// digits of a place, a date of birth, three of order, a check digit, which may be X.
func resident(s string) bool {
	return len(s) == 18 && place(s) && birth(s[6:14]) && s[17] == checkDigit(s[:17])
}

// place reports whether the first digits are those of a province, or of the card
// that foreigners with a permanent residence have.
func place(s string) bool {
	switch s[:2] {
	case "11", "12", "13", "14", "15", "21", "22", "23", "31", "32", "33", "34", "35", "36", "37",
		"41", "42", "43", "44", "45", "46", "50", "51", "52", "53", "54", "61", "62", "63", "64", "65",
		"71", "81", "82", "83":
		return true
	}
	return s[0] == '9'
}

// birth reports whether yyyymmdd was a day of the last two centuries or is one of this.
func birth(s string) bool {
	year, month, day := decimal(s[:4]), decimal(s[4:6]), decimal(s[6:])
	if year < 1850 || year > 2099 || month < 1 || month > 12 || day < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days = 29
	}
	return day <= days
}

// checkDigit is that of ISO 7064, MOD 11-2.
func checkDigit(s string) byte {
	rest := 0
	for i := range len(s) {
		rest = (rest + int(s[i]-'0')) * 2 % 11
	}
	return "0123456789X"[(12-rest)%11]
}

func decimal(s string) (n int) {
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

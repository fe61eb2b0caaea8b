package mask

// cardGroups are the groups of cards that begin with one of four, longest first.
var cardGroups = [][]int{{4, 4, 4, 4, 3}, {4, 4, 4, 4, 2}, {4, 4, 4, 4, 1}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}}

// card reports whether s is the number of a payment card: begun as a network begins
// its numbers, of a length that it gives out, and right by its check digit. What has
// the shape of an identity number is none of a card.
func card(s []byte) bool {
	return network(s) && luhn(s) && !(len(s) == 18 && ordered(s))
}

func network(s []byte) bool {
	n := len(s)
	if n < 14 || n > 19 {
		return false
	}
	two, four := decimal(s[:2]), decimal(s[:4])
	switch {
	case s[0] == '4': // Visa
		return n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720: // Mastercard
		return n == 16
	case two == 34, two == 37: // American Express
		return n == 15
	case two == 62, two == 81: // UnionPay
		return n >= 16
	case four == 6011, two == 65, four >= 6440 && four <= 6499: // Discover
		return n == 16 || n == 19
	case four >= 3528 && four <= 3589: // JCB
		return n >= 16
	case two == 36, two == 38, two == 39, four >= 3000 && four <= 3059: // Diners
		return n == 14 || n == 16
	case four == 9558, four == 9559, two == 60: // debit cards of Chinese banks from before UnionPay
		return n >= 16
	}
	return false
}

// luhn reports whether the check digit of ISO/IEC 7812 holds.
func luhn(s []byte) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

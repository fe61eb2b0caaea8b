package notify

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/cellwall/cellwall"
)

// pauses are those before the second try and the following ones: 8 tries, the
// last one less than 24 hours after the first.
var pauses = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 7 * time.Hour, 8 * time.Hour,
}

// maxAsked is how long a receiver may ask us to wait.
const maxAsked = time.Hour

// judge notes the outcome of a try. answer is nil when there was none.
func judge(d cellwall.Delivery, answer *http.Response, now time.Time, jitter func(time.Duration) time.Duration) cellwall.Delivery {
	d.Tries++
	d.LastStatus = 0
	var asked time.Duration
	if answer != nil {
		d.LastStatus = answer.StatusCode
		asked = askedPause(answer)
	}
	switch {
	case d.LastStatus >= 200 && d.LastStatus < 300:
		d.State = cellwall.DeliveryTaken
	case d.LastStatus == http.StatusGone, d.Tries > len(pauses):
		d.State = cellwall.DeliveryGivenUp
	default:
		d.State = cellwall.DeliveryWaiting
		d.NextAt = now.Add(max(jitter(pauses[d.Tries-1]), asked))
	}
	return d
}

// askedPause reads Retry-After, in seconds.
func askedPause(answer *http.Response) time.Duration {
	n, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(min(n, int(maxAsked/time.Second)))*time.Second, maxAsked)
}

// jitter spreads those who failed together: the pause, or up to a tenth less.
func jitter(d time.Duration) time.Duration { return d - rand.N(d/10+1) }

package api

import (
	"net/http"
	"time"
)

// answer watches what is written, and lets no reader hold it for ever.
type answer struct {
	http.ResponseWriter
	status int
	until  time.Time        // the write deadline that is set
	before func(status int) // is told the status before it is sent
}

// writePatience is how long a client may take for one write of an answer.
const writePatience = 30 * time.Second

// prepare sets what every answer says.
func (w *answer) prepare(id string) {
	h := w.Header()
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

func (w *answer) begun() bool { return w.status != 0 }

// code is the status that the client has seen, or will.
func (w *answer) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *answer) begin(status int) {
	w.status = status
	if w.before != nil {
		w.before(status)
	}
}

func (w *answer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.begin(status)
	}
	w.patient()
	w.ResponseWriter.WriteHeader(status)
}

func (w *answer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.begin(http.StatusOK)
	}
	w.patient()
	return w.ResponseWriter.Write(p)
}

// patient moves the write deadline on when a third of it is used.
func (w *answer) patient() {
	if now := time.Now(); w.until.Sub(now) < writePatience*2/3 {
		w.until = now.Add(writePatience)
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(w.until) // a recorder in a test has none
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush lets streams through.
func (w *answer) Flush() {
	w.patient()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write hears of it
}

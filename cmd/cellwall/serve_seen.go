package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
)

// seenState is what a service says of what it acts on. It is a file of the state
// directory, so that a verb can wait for it whoever runs the service, wherever
// its socket is, and however busy its listeners are.
type seenState struct {
	V        int    `json:"v"` // 1
	Locked   bool   `json:"locked"`
	Stopped  string `json:"stopped,omitempty"` // evidence of the lockdown under which nothing runs any more
	Book     string `json:"book"`              // of tenants and keys: see bookName
	Revision int64  `json:"revision"`          // of that book
}

func (c *config) seenFile() string { return c.inState("serve.seen") }

// bookName tells books apart. Their addresses may hold a password.
func bookName(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

// sayer keeps the file.
type sayer struct {
	mu   sync.Mutex
	said *seenState
}

// say tells what is new. What cannot be told is logged and tried again with the
// next change: a verb that waits for it says that it waited in vain.
func (s *service) say(change func(*seenState)) {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	now := seenState{V: 1, Book: bookName(s.settings.book(s.config))}
	if s.seen.said != nil {
		now = *s.seen.said
	}
	if change(&now); s.seen.said != nil && now == *s.seen.said {
		return
	}
	raw, err := json.Marshal(now)
	if err == nil {
		err = replaceFile(s.config.seenFile(), append(raw, '\n'))
	}
	if err != nil {
		s.log.Error("tell the command line", "error", err)
		return
	}
	s.seen.said = &now
}

// sayRevision tells which revision of the book is in force.
func (s *service) sayRevision(n int64) { s.say(func(now *seenState) { now.Revision = n }) }

// sayLockdown tells whether there is a lockdown, and when nothing runs under it.
// The caller holds s.lockdown.
func (s *service) sayLockdown() {
	s.say(func(now *seenState) {
		if now.Locked = s.locked != nil; !now.Locked {
			now.Stopped = ""
		} else if s.gate.still() {
			now.Stopped = s.locked.Report
		}
	})
}

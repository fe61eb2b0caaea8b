package session

import "slices"

// All returns every session that lives, whosever it is: for whoever stops the
// whole service.
func (s *Sessions) All() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Session, 0, len(s.live))
	for _, one := range s.live {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b *Session) int { return a.began.Compare(b.began) })
	return list
}

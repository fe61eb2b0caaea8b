package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cellwall/cellwall"
)

// Block is code that an operator refuses, whatever the profile: at a lockdown,
// for what came through. It says either Pattern or SHA256.
type Block struct {
	ID      string    `json:"id"`               // "" = Add gives one
	Tenant  string    `json:"tenant,omitempty"` // whose code; "" = everybody's
	Pattern string    `json:"pattern,omitempty"`
	SHA256  string    `json:"sha256,omitempty"` // of the code, in hex, as records have it
	Reason  string    `json:"reason,omitempty"` // for the operator's eyes
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
}

// Bounds of blocks.
const (
	maxBlocks  = 1_000
	maxPattern = 1_000 // bytes
)

// Blocks are the blocks in force. The zero value has none; nil has none and takes
// none. They are kept by whoever wires them: List and Replace.
type Blocks struct {
	mu   sync.RWMutex
	list []block
}

type block struct {
	Block
	pattern *regexp.Regexp
}

// Add puts a block in force and returns it with its id.
func (b *Blocks) Add(one Block) (Block, error) {
	ready, err := one.ready()
	if err != nil {
		return one, &cellwall.Error{
			Code: cellwall.CodeBadRequest, Op: "add block", Err: err,
			Hint: "give a pattern of RE2 or the sha256 of the code, from its record",
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case len(b.list) >= maxBlocks:
		return one, &cellwall.Error{
			Code: cellwall.CodeConflict, Op: "add block", Err: fmt.Errorf("there are %d already", len(b.list)), Hint: "remove old ones",
		}
	case b.at(ready.ID) >= 0:
		return one, &cellwall.Error{Code: cellwall.CodeConflict, Op: "add block", Err: fmt.Errorf("%s is there already", ready.ID)}
	}
	b.list = append(b.list, ready)
	return ready.Block, nil
}

// Remove takes a block back. An unknown one is CodeNotFound.
func (b *Blocks) Remove(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.at(id)
	if at < 0 {
		return &cellwall.Error{Code: cellwall.CodeNotFound, Op: "remove block", Err: fmt.Errorf("there is no %q", id)}
	}
	b.list = slices.Delete(b.list, at, at+1)
	return nil
}

// Replace puts exactly these blocks in force, or none of them when one is wrong.
func (b *Blocks) Replace(list []Block) error {
	var next Blocks
	for _, one := range list {
		if _, err := next.Add(one); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = next.list
	return nil
}

// List returns the blocks in force, the oldest first.
func (b *Blocks) List() []Block {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := make([]Block, 0, len(b.list))
	for _, one := range b.list {
		list = append(list, one.Block)
	}
	return list
}

func (b *Blocks) at(id string) int {
	return slices.IndexFunc(b.list, func(one block) bool { return one.ID == id })
}

// ready checks a block and compiles it.
func (b Block) ready() (block, error) {
	r := block{Block: b}
	r.ID = cmp.Or(b.ID, cellwall.NewID("blk"))
	if r.At.IsZero() {
		r.At = time.Now().UTC()
	}
	switch {
	case (b.Pattern == "") == (b.SHA256 == ""):
		return r, errors.New("it needs a pattern or a sha256, and not both")
	case len(b.Pattern) > maxPattern:
		return r, fmt.Errorf("a pattern of %d bytes is longer than %d", len(b.Pattern), maxPattern)
	case b.SHA256 != "":
		if raw, err := hex.DecodeString(b.SHA256); err != nil || len(raw) != sha256.Size {
			return r, fmt.Errorf("%q is no sha256", b.SHA256)
		}
		r.SHA256 = strings.ToLower(b.SHA256)
		return r, nil
	}
	var err error
	if r.pattern, err = regexp.Compile(b.Pattern); err == nil && r.pattern.MatchString("") {
		err = errors.New("it matches every program")
	}
	return r, err
}

// find returns what is blocked of a program. It does not say by which pattern:
// who is kept out need not learn how to get around.
func (b *Blocks) find(p Program) (found []cellwall.Finding) {
	if b == nil {
		return nil
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	var sums []string
	for _, one := range b.list {
		if one.Tenant != "" && one.Tenant != p.Tenant {
			continue
		}
		line := 1
		if one.pattern == nil {
			if sums == nil {
				sums = sumsOf(p.Source)
			}
			if !slices.Contains(sums, one.SHA256) {
				continue
			}
		} else if at := one.pattern.FindStringIndex(p.Source); at != nil {
			line = lineAt(p.Source, at[0])
		} else {
			continue
		}
		found = append(found, cellwall.Finding{
			Rule: "blocked", Line: line, Message: "the operator of this service has blocked this code (" + one.ID + ")",
			Instead: "another program, or ask the operator",
		})
	}
	return found[:min(len(found), maxFindings)]
}

// sumsOf are the digests that a record can have of a program: with the byte order
// mark that was taken off, and without.
func sumsOf(source string) []string {
	sums := make([]string, 0, 2)
	for _, text := range []string{source, "\uFEFF" + source} {
		sum := sha256.Sum256([]byte(text))
		sums = append(sums, hex.EncodeToString(sum[:]))
	}
	return sums
}

package run

import (
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// inputs are the batches in device memory. Equal batches are made once and serve
// all schemes; one that a round did not need is dropped at the round's end.
type inputs struct {
	shelf *engine.Shelf
	held  map[string]*held
}

type held struct {
	*engine.Input
	used bool // in this round
}

func newInputs(shelf *engine.Shelf) *inputs { return &inputs{shelf, map[string]*held{}} }

// get returns a batch, made now if it is not there. If there is no room for it,
// those of the round before are dropped early.
func (s *inputs) get(pair schemes.Pair, b engine.Batch) (*engine.Input, error) {
	name := identity(pair, b)
	if h := s.held[name]; h != nil && !h.Busy() {
		h.used = true
		return h.Input, nil
	}
	in, err := s.shelf.Load(pair, b)
	if err != nil && s.drop() {
		in, err = s.shelf.Load(pair, b)
	}
	if err != nil {
		return nil, err
	}
	s.held[name] = &held{in, true}
	return in, nil
}

// drop releases what this round has not used, and says whether there was such.
func (s *inputs) drop() bool {
	dropped := false
	for name, h := range s.held {
		if !h.used {
			h.Release()
			delete(s.held, name)
			dropped = true
		}
	}
	return dropped
}

// endRound drops what the round that ends did not use.
func (s *inputs) endRound() {
	s.drop()
	for _, h := range s.held {
		h.used = false
	}
}

func (s *inputs) release() {
	for _, h := range s.held {
		h.Release()
	}
	clear(s.held)
}

// identity is equal for batches that are the same numbers: expressions by their
// text, lists by their contents.
func identity(pair schemes.Pair, b engine.Batch) string {
	parts := append([]string{b.Op, pair.String(), fmt.Sprint(b.Capacity)}, b.Mixed...)
	for _, s := range []engine.Stream{b.Keys, b.Values, b.Ops} {
		parts = append(parts, streamIdentity(s))
	}
	return strings.Join(parts, "\n")
}

func streamIdentity(s engine.Stream) string {
	switch v := s.(type) {
	case nil:
		return ""
	case engine.List:
		h := xxh3.New()
		for _, number := range v {
			fmt.Fprintf(h, "%x ", number)
		}
		return fmt.Sprintf("list %d %x", len(v), h.Sum128().Bytes())
	}
	return s.String()
}

package host

// #include "side.h"
import "C"

import (
	"errors"
	"fmt"
	"sort"

	"github.com/hashzoo/hashzoo/schemes"
)

// size returns the layout of a table.
func (h Side) size(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	slots, err := s.Slots()
	switch {
	case err != nil:
		return schemes.Layout{}, err
	case s.Capacity > 0 || s.N > 0:
		return h.layout(c, s.Pair, slots, s.N)
	}
	return h.within(c, s)
}

// within returns the largest table that fits into the memory allowed.
func (h Side) within(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	of := func(slots int) (schemes.Layout, error) { return h.layout(c, s.Pair, uint64(slots), 0) }
	least, err := of(1)
	if err != nil {
		return least, err
	}
	most := int(min(s.Bytes, mostSlots)) // a slot takes at least a byte
	over := sort.Search(most, func(i int) bool {
		l, err := of(i + 1)
		return err != nil || uint64(l.Bytes()) > s.Bytes
	})
	if over == 0 {
		return least, fmt.Errorf("%d bytes are too few: the smallest table takes %d", s.Bytes, least.Bytes())
	}
	if over < most { // the limit may be something other than memory
		if l, err := of(over + 1); err != nil {
			return l, err
		}
	}
	return of(over)
}

// mostSlots keeps sizes in bytes within 64 bits.
const mostSlots = 1 << 52

// layout asks the host side for a table of at least so many slots.
func (h Side) layout(c schemes.Config, p schemes.Pair, slots, n uint64) (l schemes.Layout, err error) {
	if slots > mostSlots {
		return l, fmt.Errorf("capacity is %d: hash functions range over fewer than 2^32 buckets", slots)
	}
	s := C.hz_sizing{param: paramsOf(c.For(p)), key: C.uint64_t(p.Key), value: C.uint64_t(p.Value),
		slots: C.uint64_t(slots), n: C.uint64_t(n)}
	if C.hz_size(h.c, &s) != C.HZ_DONE {
		return l, errors.New(C.GoString(&s.wrong[0]))
	}
	l = layoutOf(&s.layout)
	switch {
	case l.Buckets == 0 || l.Capacity < slots:
		return l, fmt.Errorf("the layout has %d slots in %d buckets: %d slots were asked for", l.Capacity, l.Buckets, slots)
	case l.Buckets >= 1<<32:
		return l, fmt.Errorf("capacity is %d: %d buckets, and hash functions range over fewer than 2^32; take larger buckets", slots, l.Buckets)
	}
	return l, nil
}

package engine

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// liar is a device whose kernels do something false after they have done what
// they should: the end-to-end proof that verification catches it.
type liar struct {
	device.Device
	op  string
	lie func(table kernels.Table, batch kernels.Batch)
}

func (l *liar) Call(kernel string, table, batch []byte, count uint64) error {
	if err := l.Device.Call(kernel, table, batch, count); err != nil || !strings.HasSuffix(kernel, "_"+l.op) {
		return err
	}
	var t kernels.Table
	var b kernels.Batch
	copy(kernels.Bytes(&t), table)
	copy(kernels.Bytes(&b), batch)
	l.lie(t, b)
	return nil
}

// change reads some bytes of device memory, has them changed, and writes them.
func (l *liar) change(at uint64, bytes int, f func([]byte)) {
	memory := make([]byte, bytes)
	if err := l.Read(memory, device.Addr(at)); err != nil {
		panic(err)
	}
	f(memory)
	if err := l.Write(device.Addr(at), memory); err != nil {
		panic(err)
	}
}

// slots changes the slots of a table of 4+4 pairs.
func (l *liar) slots(t kernels.Table, f func(slots []byte)) {
	l.change(t.Region[0], int(8*t.Capacity), f)
}

// liveSlot is the place of the first live pair, and deadSlot of one that is none.
func slotWhere(slots []byte, live bool) []byte {
	for at := 0; at < len(slots); at += 8 {
		if (binary.LittleEndian.Uint32(slots[at:]) < 0xfffffffe) == live {
			return slots[at : at+8]
		}
	}
	panic("no such slot")
}

func (l *liar) counter(b kernels.Batch, name string, by int) {
	for i, counter := range kernels.Counters {
		if counter == name {
			l.change(b.Counters+uint64(8*i), 8, func(c []byte) {
				binary.LittleEndian.PutUint64(c, binary.LittleEndian.Uint64(c)+uint64(by))
			})
		}
	}
}

func TestVerificationCatchesALyingTable(t *testing.T) {
	l := &liar{}
	empty := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	for name, lie := range map[string]struct {
		op   string
		tell func(kernels.Table, kernels.Batch)
	}{
		"a pair is lost": {"insert", func(t kernels.Table, _ kernels.Batch) {
			l.slots(t, func(s []byte) { copy(slotWhere(s, true), empty) })
		}},
		"a value is wrong": {"insert", func(t kernels.Table, _ kernels.Batch) {
			l.slots(t, func(s []byte) { slotWhere(s, true)[4]++ })
		}},
		"an update is not written": {"update", func(t kernels.Table, _ kernels.Batch) {
			l.slots(t, func(s []byte) { binary.LittleEndian.PutUint32(slotWhere(s, true)[4:], 12345) })
		}},
		"an erased pair stays": {"erase", func(t kernels.Table, _ kernels.Batch) {
			l.slots(t, func(s []byte) { copy(slotWhere(s, false), []byte{5, 0, 0, 0, 5, 0, 0, 0}) })
		}},
		"a find gives another value": {"find", func(_ kernels.Table, b kernels.Batch) {
			l.change(b.Out, 4, func(v []byte) { v[0]++ })
		}},
		"an outcome is false": {"find", func(_ kernels.Table, b kernels.Batch) {
			l.change(b.Status, 1, func(s []byte) { s[0]++ })
		}},
		"an outcome does not exist": {"insert", func(_ kernels.Table, b kernels.Batch) {
			l.change(b.Status, 1, func(s []byte) { s[0] = 77 })
		}},
		"an operation was left out": {"insert", func(_ kernels.Table, b kernels.Batch) {
			l.change(b.Status, 1, func(s []byte) { s[0] = notAsked })
			l.counter(b, "ok", -1)
			l.counter(b, "added", -1)
		}},
		"a counter is too high":                    {"find", func(_ kernels.Table, b kernels.Batch) { l.counter(b, "ok", 1) }},
		"operations are counted as something else": {"erase", func(_ kernels.Table, b kernels.Batch) { l.counter(b, "ok", -1); l.counter(b, "missing", 1) }},
		"an insert is said to have failed":         {"insert", func(_ kernels.Table, b kernels.Batch) { l.counter(b, "ok", -1); l.counter(b, "failed", 1) }},
		"the table counts one pair too few":        {"count", func(_ kernels.Table, b kernels.Batch) { l.counter(b, "pairs", -1) }},
		"the table exports one pair too few":       {"export", func(_ kernels.Table, b kernels.Batch) { l.counter(b, "pairs", -1) }},
		"the table exports another's value": {"export", func(_ kernels.Table, b kernels.Batch) {
			l.change(b.PairValues, 4, func(v []byte) { v[0]++ })
		}},
		"the table exports a pair twice": {"export", func(_ kernels.Table, b kernels.Batch) {
			l.change(b.PairKeys, 8, func(k []byte) { copy(k[4:], k[:4]) })
			l.change(b.PairValues, 8, func(v []byte) { copy(v[4:], v[:4]) })
		}},
	} {
		*l = liar{Device: openCPU(t, 1), op: lie.op, lie: lie.tell}
		var lied *VerifyError
		if err := useTable(t, l); !errors.As(err, &lied) || lied.Scheme != "bcht" {
			t.Errorf("%s: %v, want a VerifyError of scheme bcht", name, err)
		}
		l.lie = func(kernels.Table, kernels.Batch) {}
		if err := useTable(t, l); err != nil {
			t.Errorf("without a lie (%s): %v", name, err)
		}
	}
}

// useTable does a little of everything and looks at the contents at the end.
func useTable(t *testing.T, dev device.Device) error {
	on := table(t, dev, Spec{
		Config: config(t, "bcht:bucket=8"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Seed: 1, Verify: true,
	})
	for _, b := range []Batch{
		insert(from(10, 30)),
		find(from(10, 40)),
		{Op: "update", Keys: from(10, 20), Values: from(5, 20)},
		{Op: "erase", Keys: from(15, 30)},
	} {
		if _, err := on.Run(load(t, dev, schemes.Pair4, b)); err != nil {
			return err
		}
	}
	_, err := on.Contents()
	return err
}

package engine

import (
	"bytes"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// The columns read back from a batch make the same batch again, wide values included.
func TestColumnsMakeTheBatchAgain(t *testing.T) {
	dev := openCPU(t, 1)
	for _, pair := range []schemes.Pair{{Key: 4, Value: 4}, {Key: 8, Value: 8}, {Key: 4, Value: 16}, {Key: 4, Value: 0}} {
		values := List{1, 1 << 31, 7}
		first := must.Get(Load(dev, pair, Batch{Op: Mix, Keys: List{5, 1 << 30, 9}, Values: values, Ops: List{0, 1, 0}}))(t)
		c := must.Get(first.Columns())(t)
		again := Batch{Op: Mix, Keys: Packed{"keys", c.KeyWidth, c.Keys}, Values: List{0, 0, 0}, Ops: Packed{"ops", 1, c.Ops}}
		if c.Values != nil {
			again.Values = Packed{"values", c.ValueWidth, c.Values}
			if got := Number(c.Values, c.ValueWidth, 1); got != 1<<31 {
				t.Errorf("%v: value %#x", pair, got)
			}
		}
		second, err := Load(dev, pair, again)
		if err != nil || second.Digest != first.Digest || (c.Values == nil) != (pair.Value == 0) {
			t.Errorf("%v: %v, %s, %s", pair, err, first.Digest, second.Digest)
		}
		if !bytes.Equal(c.Ops, []byte{0, 1, 0}) || Number(c.Keys, c.KeyWidth, 1) != 1<<30 {
			t.Errorf("%v: %+v", pair, c)
		}
	}
}

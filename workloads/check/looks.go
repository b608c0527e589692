package check

import "reflect"

// looked reads the gauges of a table that is empty, half full, and with erased pairs. They
// show the same again, and the oracle agrees with everything that follows.
func looked(c *climb) {
	t := c.table(c.large)
	n := t.half()
	t.unchanged()
	t.insert(c.keys().Take(n), "a")
	t.unchanged()
	t.find(c.keys().Take(2 * n))
	if c.has("erase") {
		t.erase(c.keys().Take(n / 2))
		t.unchanged()
	}
	t.insert(c.keys().Slice(n, n/4), "b")
	t.find(c.keys().Take(2 * n))
	t.unchanged()
}

// unchanged ends the rung if a look at the gauges shows in the table, or in another look.
func (t *trial) unchanged() {
	before := t.contents()
	first, err := t.Gauges()
	t.c.must(err)
	second, err := t.Gauges()
	t.c.must(err)
	for i, g := range first {
		if !reflect.DeepEqual(g, second[i]) {
			t.c.fail("gauge %s shows %v, and %v when it is read again", g.Name, g.Bars, second[i].Bars)
		}
	}
	if after := t.contents(); after.Digest != before.Digest {
		t.c.fail("the digest of the contents was %s before a look at the gauges, and is %s", before.Digest, after.Digest)
	}
}

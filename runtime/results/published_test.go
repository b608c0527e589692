package results

import (
	"reflect"
	"strings"
	"testing"
)

func TestParsePublished(t *testing.T) {
	list, err := ParsePublished(`# A remark.

# published: A paper, Table 1,
# second row
scheme,load,column,value,unit
a:x=1,0.5,mops,1234.5,Mop/s

# derived: by the formula of page 3
a,,probes,2,probes per key
`)
	want := []Published{
		{Of: map[string]string{"scheme": "a:x=1", "load": "0.5"}, Column: "mops", Value: 1234.5, Unit: "Mop/s", Source: "published: A paper, Table 1, second row"},
		{Of: map[string]string{"scheme": "a"}, Column: "probes", Value: 2, Unit: "probes per key", Source: "derived: by the formula of page 3"},
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%v\n%+v", err, list)
	}
	if !list[0].OfAMachine() || list[1].OfAMachine() {
		t.Error("a rate is of a machine, probes are not")
	}
	if name, relative := (Published{Unit: "times a:x=1"}).Times(); name != "a:x=1" || !relative {
		t.Errorf("relative to %q", name)
	}
}

func TestWrongPublished(t *testing.T) {
	for text, want := range map[string]string{
		"column,value,unit\nmops,1,Mop/s\n":            "2: a figure without a source",
		"# published: a\ncolumn,value\nmops,1\n":       "3: column unit is missing",
		"# published: a\ncolumn,value,unit\nmops,1\n":  "3: 2 cells: the header has 3",
		"# published: a\ncolumn,value,unit\n,1,s\n":    "3: column is empty",
		"# published: a\ncolumn,value,unit\nms,1,\n":   "3: unit is empty",
		"# published: a\ncolumn,value,unit\nms,x,ms\n": `3: value is "x": it takes a number`,
		"# published: a\ncolumn,value,unit\nms,Inf,ms": `3: value is "Inf": it takes a number`,
		"": "1: there is no header",
	} {
		if _, err := ParsePublished(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

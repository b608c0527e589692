package manifest

import (
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Instance is the kernels of one variant for one kind of pair, timed or instrumented. It is compiled as a unit.
type Instance struct {
	*Manifest
	Variant schemes.Config
	Pair    schemes.Pair
	Counted bool
}

// String names an instance as users write its scheme.
func (i Instance) String() string {
	name := i.Variant.String() + " " + i.Pair.String() + lists.Either(i.Counted, " instrumented", "")
	return name
}

// Key is a name for files.
func (i Instance) Key() string {
	key := i.Variant.Variant() + "_" + i.Pair.String() + lists.Either(i.Counted, "_counted", "")
	return key
}

// Source returns the C++ source that instantiates the kernels.
func (i Instance) Source() string {
	kind := lists.Either(i.Counted, "HZ_COUNTED", "HZ_TIMED")
	return "#define " + kind + "\n" + i.Manifest.Source(false, func(c schemes.Config, pair schemes.Pair) bool {
		return c.Variant() == i.Variant.Variant() && pair == i.Pair
	})
}

// InstanceOf returns the instance that has a kernel of a scheme that ships.
func InstanceOf(kernel string) (Instance, bool) {
	name, _, _ := strings.Cut(strings.TrimPrefix(kernel, "hz_"), "_")
	s, err := schemes.Find(name)
	if err != nil || s.Plugin != nil || Of(s).Go {
		return Instance{}, false
	}
	m := Of(s)
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			if strings.HasPrefix(kernel, "hz_"+c.Variant()+"_"+pair.String()+"_") {
				return Instance{m, c, pair, strings.HasSuffix(kernel, "_counted")}, true
			}
		}
	}
	return Instance{}, false
}

// usual reports whether programs hold the kernels of a variant from the start: the defaults for the usual pairs.
// The others are compiled when a table needs them, unless the program is built with the tag all.
func (m *Manifest) usual(c schemes.Config, pair schemes.Pair) bool {
	usual := []schemes.Pair{schemes.Pair4, schemes.Pair8}
	return slices.Contains(usual, pair) && c.Variant() == m.Scheme.Defaults().For(pair).Variant()
}

// UsualSource is the source of the usual kernels, and OtherSource that of all others; it is empty if there are none.
func (m *Manifest) UsualSource() string { return m.Source(false, m.usual) }

func (m *Manifest) OtherSource() string {
	return m.instantiations(false, func(c schemes.Config, pair schemes.Pair) bool { return !m.usual(c, pair) })
}

package nearest

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestNames(t *testing.T) {
	known := []string{"insert", "find", "update", "erase", "bucket", "batch_timeout"}
	for given, want := range map[string][]string{
		"fnid":   {"find"},   // two letters swapped
		"inster": {"insert"}, // swapped at the end
		"INSERT": {"insert"}, // another case
		"buck":   {"bucket"}, // the beginning of one
		"qqqqq":  nil,        // nothing like it
		"":       nil,
	} {
		got := Names(given, known)
		must.Hold(t, slices.Equal(got, want), "Names(%q) = %v instead of %v", given, got, want)
	}
}

func TestNamesComeNearestFirst(t *testing.T) {
	got := Names("cart", []string{"care", "cards", "cart1", "chart"})
	must.Hold(t, len(got) == 3 && got[0] != "cards", "got %v: three names, those with one letter changed before the one with two", got)
}

func TestUnknown(t *testing.T) {
	near := Unknown("operation", "fnd", []string{"find", "erase"}).Error()
	must.Match(t, near, `unknown operation "fnd": did you mean find?`)
	far := Unknown("operation", "qqqqqq", []string{"find", "erase"}).Error()
	must.Hold(t, strings.Contains(far, "choose from find, erase"), "%v", far)
}

func TestDistance(t *testing.T) {
	for pair, want := range map[string]int{
		"axis axes": 1, "stage stages": 1, "stagess stages": 1, "eventt event": 1, "evnt event": 1, "evnet event": 1, "prepare prepare": 0,
		"dump done": 3, "x axes": 3, " done": 4,
	} {
		a, b, _ := strings.Cut(pair, " ")
		must.Match(t, Distance(a, b), want, pair)
	}
}

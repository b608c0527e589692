package device

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// A panic becomes an error with its message and place; errors pass through.
func TestCaught(t *testing.T) {
	var table map[string]int
	err := Caught(func() error { table["key"] = 1; return nil })
	must.Hold(t, err != nil && strings.Contains(err.Error(), "nil map") && strings.Contains(err.Error(), "caught_test.go"), "%v", err)
	other := errors.New("no memory")
	err = Caught(func() error { return other })
	must.Hold(t, err == other, "%v", err)
	must.Say(t, Caught(func() error { return nil }), "")
}

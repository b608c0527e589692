package device

import (
	"fmt"
	"runtime/debug"
)

// Caught calls f, and makes an error of a panic. A panic on a goroutine that nobody else
// looks after would end the program on the spot: a terminal would stay as it is, and results
// unwritten.
func Caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a mistake of this program: %v: %s", r, debug.Stack())
		}
	}()
	return f()
}

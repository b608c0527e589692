package device

import (
	"fmt"
	"runtime/debug"
)

// Caught calls f and turns a panic into an error. An unrecovered panic on any goroutine
// would end the program without restoring the terminal or writing results.
func Caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v: %s", r, debug.Stack())
		}
	}()
	return f()
}

package schemes

import "errors"

// Lack is the error of requesting something a scheme does not support: an operation, a
// pair width, a table shape. Commands that run all schemes skip those that return it.
type Lack struct {
	What string // what is missing and why ("it has no ..."), for a line that names the scheme itself
	Text string // the whole error, with a hint
}

// Error names the scheme, what it lacks, and what it has instead.
func (e *Lack) Error() string { return e.Text }

// Lacking returns the Lack within an error, or nil.
func Lacking(err error) *Lack {
	var lack *Lack
	errors.As(err, &lack)
	return lack
}

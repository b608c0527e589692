package schemes

import "errors"

// Lack is the error of asking a scheme for what it does not have: an operation, pairs of
// some width, a table of that shape. Who runs all schemes of the zoo leaves such a one out.
type Lack struct {
	What string // that it has no ..., and why, for a line that names the scheme itself
	Text string // the whole error, with a way out
}

// Error names the scheme, what it lacks, and what it has instead.
func (e *Lack) Error() string { return e.Text }

// Lacking is the Lack that an error has in it, nil if it has none.
func Lacking(err error) *Lack {
	var lack *Lack
	errors.As(err, &lack)
	return lack
}

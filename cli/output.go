package cli

// int hz_stdout_was_closed(void);
import "C"

import (
	"cmp"
	"os"
)

func outputClosed() bool { return C.hz_stdout_was_closed() != 0 }

// output is standard output. It keeps the first error of a write, since cobra's help ignores it.
type output struct {
	*os.File
	failed error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.File.Write(text)
	o.failed = cmp.Or(o.failed, err)
	return n, err
}

// Package regular reads and writes files that users name. Only regular files are read, because a
// device or a pipe may block or never end. Files are written beside their names until they are whole.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Partial is at the end of the name of a file that is not whole.
const Partial = ".partial"

// Output is a file that is being written. Until it is whole it lies beside its name, as
// NAME.partial, and a file that has the name stays. Devices and pipes are written directly.
type Output struct {
	name   string // that the user gave
	target string // what it becomes, where links lead; empty for devices and pipes
	path   string // where it is
	to     io.Writer
	file   *os.File // nil once it is closed
	failed error
}

// Failure is the error of a file that cannot be written, as on a full disk.
type Failure struct {
	out *Output
	err error
}

func (f *Failure) Unwrap() error { return f.err }

func (f *Failure) Error() string {
	system, ok := errors.AsType[*fs.PathError](f.err)
	if f.out.name == "" || !ok {
		return f.err.Error()
	}
	text := fmt.Sprintf("%s %s: %v", system.Op, f.out.name, system.Err)
	if f.out.target != "" && f.out.path != "" {
		text += "; what fit is in " + f.out.path
	}
	return text
}

// Cause returns the Failure within an error, without what was being done then, or the error itself.
func Cause(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return err
}

// Create begins an output.
func Create(name string) (_ *Output, err error) {
	o := &Output{name: name, path: name}
	if o.target, err = target(name); err != nil {
		return nil, err
	}
	if o.target == "" {
		o.file, err = os.Create(name)
	} else {
		err = o.createPartial()
	}
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		system.Path = name
	}
	if err != nil {
		return nil, err
	}
	o.to = o.file
	return o, nil
}

// Through is an output that w takes, and that has no name.
func Through(w io.Writer) *Output { return &Output{to: w} }

// createPartial creates a new file, with the permissions of the one that it may replace.
// Partial files of earlier runs stay.
func (o *Output) createPartial() (err error) {
	replaced, err := os.OpenFile(o.target, os.O_WRONLY, 0)
	if err == nil {
		defer replaced.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i := 1; i == 1 || errors.Is(err, fs.ErrExist); i++ {
		if o.path = o.target + Partial; i > 1 {
			o.path = fmt.Sprintf("%s-%d", o.path, i)
		}
		o.file, err = os.OpenFile(o.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil || replaced == nil {
		return err
	}
	if info, failed := replaced.Stat(); failed == nil {
		_ = o.file.Chmod(info.Mode().Perm()) // not every file system has permissions
	}
	return nil
}

const maxLinks = 40

// target follows links to the file that a name means, which need not exist. It is empty for
// anything but a regular file, and for files that are open already, such as /dev/stdout.
func target(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return "", nil
	}
	for range maxLinks {
		to, err := os.Readlink(name)
		switch {
		case strings.HasPrefix(name, "/proc/"):
			return "", nil
		case err != nil:
			return name, nil
		case !filepath.IsAbs(to):
			to = folder(name) + "/" + to
		}
		name = to
	}
	return "", fmt.Errorf("%s is a link to a link, more than %d times", name, maxLinks)
}

// Beside marks a file name before its extension: run-2.json for run.json and 2.
func Beside(name string, mark any) string {
	extension := filepath.Ext(name)
	return fmt.Sprintf("%s-%v%s", strings.TrimSuffix(name, extension), mark, extension)
}

// Same reports whether two names mean one regular file, which need not exist.
func Same(a, b string) bool {
	first, err := target(a)
	second, otherErr := target(b)
	if err != nil || otherErr != nil || first == "" || second == "" {
		return false
	}
	return sameFile(first, second) || filepath.Base(first) == filepath.Base(second) && sameFile(folder(first), folder(second))
}

// folder returns the folder of a file, which filepath.Dir does not if .. follows a link.
func folder(name string) string { return name[:strings.LastIndex(name, "/")+1] + "." }

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// Write writes a part. After an error nothing more is written.
func (o *Output) Write(part []byte) (n int, err error) {
	if o.failed != nil {
		return 0, o.failed
	}
	if n, err = o.to.Write(part); err != nil {
		o.failed = &Failure{o, err}
	}
	return n, o.failed
}

// Name is the name that the user gave.
func (o *Output) Name() string { return o.name }

// Path is where the output is: its name, or where its parts are. It is empty if nothing is left.
func (o *Output) Path() string { return o.path }

// Commit ends an output that is whole, and gives it its name.
func (o *Output) Commit() error {
	if err := o.Leave(); err != nil || o.target == "" {
		return err
	}
	if err := os.Rename(o.path, o.target); err != nil {
		return fmt.Errorf("%s is whole, but does not get its name: %w", o.path, err)
	}
	o.path = o.name
	return nil
}

// Keep ends an output of something that ended early: it gets its name if no file has it.
func (o *Output) Keep() error {
	if _, err := os.Lstat(o.target); o.target != "" && err == nil {
		return o.Leave()
	}
	return o.Commit()
}

// Leave ends an output that was cut off: it stays partial.
func (o *Output) Leave() error {
	if o.file == nil {
		return o.failed
	}
	if o.target != "" && o.failed == nil {
		o.fail(o.file.Sync()) // only a file that was synced is certain to be whole
	}
	o.fail(o.file.Close())
	o.file = nil
	return o.failed
}

func (o *Output) fail(err error) {
	if err != nil && o.failed == nil {
		o.failed = &Failure{o, err}
	}
}

// Discard ends an output of which nothing is kept.
func (o *Output) Discard() error {
	err := o.Leave()
	if o.target == "" {
		return err
	}
	if removed := os.Remove(o.path); removed != nil {
		return errors.Join(err, removed)
	}
	o.path = ""
	return err
}

// Write writes a whole file; if that fails, what had the name stays.
func Write(name string, write func(*Output) error) error {
	o, err := Create(name)
	if err != nil {
		return err
	}
	if err = write(o); err == nil {
		err = o.Commit()
	}
	if err != nil {
		_ = o.Discard()
	}
	return Cause(err)
}

// WriteText writes a whole file with this text.
func WriteText(name, text string) error {
	return Write(name, func(to *Output) error { _, err := io.WriteString(to, text); return err })
}

// Text is the limit of files that a person writes: scripts, settings, declarations.
const Text = 1 << 20

// Binary is the limit of files that a compiler writes.
const Binary = 1 << 28

// Open opens a regular file for reading.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe does not wait for its writer
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err := check(path, info, err); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// In opens a regular file of a folder.
func In(folder fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(folder, name)
	if err := check(name, info, err); err != nil {
		return nil, err
	}
	return folder.Open(name)
}

// Read reads a regular file of at most `most` bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("%s has more than %d bytes, the limit", path, most)
	}
	return content, err
}

func check(name string, info fs.FileInfo, err error) error {
	if err != nil || info.Mode().IsRegular() {
		return err
	}
	kind := "a device"
	switch info.Mode().Type() {
	case fs.ModeDir:
		kind = "a folder"
	case fs.ModeNamedPipe:
		kind = "a pipe"
	}
	return fmt.Errorf("%s is %s: it takes a regular file", name, kind)
}

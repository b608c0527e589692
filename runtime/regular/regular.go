// Package regular reads and writes files that users name. Only regular files are read, because a
// device or a pipe may block or never end. Files are written beside their names until they are whole.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

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

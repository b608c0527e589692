// Package columnar guards Arrow's library against untrusted files.
package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// File is an open file: an *os.File, or bytes in memory.
type File interface {
	io.ReadSeeker
	io.ReaderAt
}

// Messages reads an Arrow stream. The library allocates whatever lengths a file asks for; this reader returns
// no message whose lengths the file cannot have.
type Messages struct {
	file     io.ReaderAt
	at, left int64 // of the unread bytes
}

const start, end = 8, 10 // bytes: the mark and padding; the footer's length and the mark

// New finds the stream in a file: all of it, or what lies between an opening mark and the footer.
func New(f File) (*Messages, error) {
	m, err := NewCut(f)
	if err != nil || m.at == 0 {
		return m, err
	}
	tail := make([]byte, end)
	if _, err := f.ReadAt(tail, max(m.at+m.left-end, 0)); err != nil || !bytes.Equal(tail[4:], ipc.Magic) {
		return nil, Damaged(errors.New("it does not end as an Arrow file does"))
	}
	if m.left -= end + int64(binary.LittleEndian.Uint32(tail)); m.left < 0 {
		return nil, Damaged(errors.New("it is too short for an Arrow file"))
	}
	return m, nil
}

// NewCut is New for a file that may be cut off: its stream ends where the file does.
func NewCut(f File) (*Messages, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	mark := make([]byte, start)
	if _, err := f.ReadAt(mark, 0); err == nil && bytes.HasPrefix(mark, ipc.Magic) {
		return &Messages{file: f, at: start, left: size - start}, nil
	}
	return &Messages{file: f, left: size}, nil
}

// Retain and Release do nothing: the collector frees messages.
func (m *Messages) Retain()  {}
func (m *Messages) Release() {}

// Message reads the next message.
func (m *Messages) Message() (*ipc.Message, error) {
	f, err := m.Find()
	if err != nil {
		return nil, err
	}
	return f.Read(m.file)
}

// Found is a message whose body was not read.
type Found struct {
	Start  int64 // of the message, in the file
	Meta   []byte
	At     int64 // of the body, in the file
	Length int64
}

// Find reads the metadata of the next message, and skips its body.
func (m *Messages) Find() (f Found, err error) {
	f.Start = m.at
	length, err := m.length()
	if err != nil {
		return f, err
	}
	if f.Meta, err = m.take(length); err != nil {
		return f, err
	}
	if f.Length, err = checkMessage(f.Meta); err != nil {
		return f, err
	}
	f.At = m.at
	return f, m.skip(f.Length)
}

// Read reads a message that was found.
func (f Found) Read(file io.ReaderAt) (*ipc.Message, error) {
	body := make([]byte, f.Length)
	if _, err := file.ReadAt(body, f.At); err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(f.Meta), memory.NewBufferBytes(body)), nil
}

// length reads the length of the metadata, which follows a mark except in old files; io.EOF at the end.
func (m *Messages) length() (int64, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	word, err := m.take(4)
	if err == nil && binary.LittleEndian.Uint32(word) == 0xffffffff {
		word, err = m.take(4)
	}
	if err != nil {
		return 0, err
	}
	if length := binary.LittleEndian.Uint32(word); length != 0 {
		return int64(length), nil
	}
	return 0, io.EOF
}

func (m *Messages) take(n int64) ([]byte, error) {
	at := m.at
	if err := m.skip(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err := m.file.ReadAt(b, at)
	return b, err
}

func (m *Messages) skip(n int64) error {
	if n < 0 || n > m.left {
		return fmt.Errorf("a part of %d bytes in a file that has %d more", n, m.left)
	}
	m.at += n
	m.left -= n
	return nil
}

// Damaged blames the file for an error, in one line.
func Damaged(err error) error {
	return fmt.Errorf("the file is damaged: %.200s", strings.Join(strings.Fields(err.Error()), " "))
}

// Guard turns a panic into an error: the library panics on some damaged files.
func Guard(read func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Damaged(fmt.Errorf("%v", r))
		}
	}()
	return read()
}

// Allowance is an allocator with a bound, because the sizes in a file may be wrong. It panics
// above the bound, and the library or Guard turns the panic into an error.
type Allowance struct {
	memory.Allocator
	left int
}

// bound is the memory that reading a file may take, besides the numbers.
const bound = 1 << 30

// NewAllowance makes an allocator.
func NewAllowance() *Allowance { return &Allowance{memory.NewGoAllocator(), bound} }

func (a *Allowance) take(bytes int) {
	if a.left -= bytes; a.left < 0 {
		panic(fmt.Sprintf("it needs more than %d bytes of memory at once", bound))
	}
}

// Allocate takes memory.
func (a *Allowance) Allocate(bytes int) []byte {
	a.take(bytes)
	return a.Allocator.Allocate(bytes)
}

// Reallocate resizes memory.
func (a *Allowance) Reallocate(bytes int, b []byte) []byte {
	a.take(bytes - len(b))
	return a.Allocator.Reallocate(bytes, b)
}

// Free returns memory.
func (a *Allowance) Free(b []byte) {
	a.left += len(b)
	a.Allocator.Free(b)
}

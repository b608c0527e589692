package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/flatbuffers/go"
)

// Opened is a file that was opened: an *os.File.
type Opened interface {
	io.ReadSeeker
	io.ReaderAt
}

// Messages reads the messages of an Arrow stream. The library has a reader for
// them too, which allocates whatever the lengths in a file ask for. Here nothing
// is handed on whose lengths the file cannot have.
type Messages struct {
	r    io.Reader
	left int64 // bytes that have not been read
	at   int64 // where the next message is in the file

	file io.ReaderAt
}

const start, end = 8, 10 // the mark and 2 bytes; the footer's length and the mark

// New finds the stream in a file: it is all of it, or, in a file that starts with a mark,
// what is between that and the footer.
func New(f Opened) (*Messages, error) {
	size, marked, err := look(f)
	if err != nil || !marked {
		return within(f, 0, size), err
	}
	tail := make([]byte, end)
	if _, err := f.ReadAt(tail, max(size-end, 0)); err != nil || !bytes.Equal(tail[4:], ipc.Magic) {
		return nil, Damaged{errors.New("it does not end as an Arrow file does")}
	}
	length := size - start - end - int64(binary.LittleEndian.Uint32(tail))
	if length < 0 {
		return nil, Damaged{errors.New("its footer is longer than the file")}
	}
	return within(f, start, length), nil
}

// NewCut is New for a file that may have been cut off: its stream ends where it does.
func NewCut(f Opened) (*Messages, error) {
	size, marked, err := look(f)
	switch {
	case err != nil || !marked:
		return within(f, 0, size), err
	case size < start:
		return nil, Damaged{errors.New("it ends before its first message")}
	}
	return within(f, start, size-start), nil
}

func look(f Opened) (size int64, marked bool, err error) {
	if size, err = f.Seek(0, io.SeekEnd); err != nil {
		return 0, false, err
	}
	mark := make([]byte, len(ipc.Magic))
	_, err = f.ReadAt(mark, 0)
	return size, err == nil && bytes.Equal(mark, ipc.Magic), nil
}

func within(f Opened, from, length int64) *Messages {
	return &Messages{io.NewSectionReader(f, from, length), length, from, f}
}

// Retain and Release do nothing: what messages hold is left to the collector.
func (m *Messages) Retain()  {}
func (m *Messages) Release() {}

// Message reads the next message.
func (m *Messages) Message() (*ipc.Message, error) {
	meta, bodyLength, err := m.metadata()
	if err != nil {
		return nil, err
	}
	body, err := m.take(bodyLength)
	if err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

func (m *Messages) metadata() (meta []byte, bodyLength int64, err error) {
	length, err := m.length()
	if err != nil {
		return nil, 0, err
	}
	if meta, err = m.take(length); err != nil {
		return nil, 0, err
	}
	bodyLength, err = checkMessage(meta)
	return meta, bodyLength, err
}

// Found is a message whose body was not read.
type Found struct {
	Meta   []byte
	At     int64 // of the body, in the file
	Length int64
}

// Find reads the metadata of the next message, and passes over its body.
func (m *Messages) Find() (Found, error) {
	meta, length, err := m.metadata()
	if err != nil {
		return Found{}, err
	}
	f := Found{meta, m.at, length}
	if length < 0 || length > m.left {
		return f, fmt.Errorf("a part of %d bytes in a file that has %d more", length, m.left)
	}
	m.left -= length
	m.at += length
	m.r = io.NewSectionReader(m.file, m.at, m.left)
	return f, nil
}

// Read reads a message that was found.
func (f Found) Read(file io.ReaderAt) (*ipc.Message, error) {
	body := make([]byte, f.Length)
	if _, err := file.ReadAt(body, f.At); err != nil {
		return nil, err
	}
	return ipc.NewMessage(memory.NewBufferBytes(f.Meta), memory.NewBufferBytes(body)), nil
}

// length reads how long the metadata is: it follows a mark, except in old files,
// and is 0, or missing, at the end.
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
	if n < 0 || n > m.left {
		return nil, fmt.Errorf("a part of %d bytes in a file that has %d more", n, m.left)
	}
	m.left -= n
	m.at += n
	b := make([]byte, n)
	_, err := io.ReadFull(m.r, b)
	return b, err
}

// The tables of Arrow's metadata (Message.fbs, Schema.fbs): where a field is, as
// flatbuffers count, for those with lengths in them.
const (
	messageHeaderType, messageHeader, messageBodyLength = 6, 8, 10
	schemaFields, schemaMetadata                        = 6, 8
	fieldChildren, fieldMetadata                        = 14, 16
	dictionaryData                                      = 6
	batchNodes, batchBuffers, batchVariadic             = 6, 8, 12

	headerSchema, headerDictionary, headerBatch = 1, 2, 3
)

// checkMessage returns the length of the body, and an error if the metadata has
// lists that are longer than it is. Places outside of it make a panic, for which
// there is guarded.
func checkMessage(meta []byte) (int64, error) {
	if len(meta) < 8 {
		return 0, errors.New("a message without metadata")
	}
	t := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	at := flatbuffers.UOffsetT(t.Offset(messageHeader))
	if at == 0 {
		return 0, errors.New("a message without a header")
	}
	var header flatbuffers.Table
	t.Union(&header, at)
	switch t.GetByteSlot(messageHeaderType, 0) {
	case headerSchema:
		fields := len(meta)
		if err := checkFields(header, schemaFields, schemaMetadata, &fields); err != nil {
			return 0, err
		}
	case headerDictionary:
		data, err := child(header, dictionaryData)
		if err == nil {
			err = checkBatch(data)
		}
		if err != nil {
			return 0, err
		}
	case headerBatch:
		if err := checkBatch(header); err != nil {
			return 0, err
		}
	}
	return t.GetInt64Slot(messageBodyLength, 0), nil
}

func child(t flatbuffers.Table, slot flatbuffers.VOffsetT) (flatbuffers.Table, error) {
	at := flatbuffers.UOffsetT(t.Offset(slot))
	if at == 0 {
		return t, errors.New("a message without data")
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + t.Pos)}, nil
}

// list is where a list is and how long, of elements of that size.
func listAt(t flatbuffers.Table, slot flatbuffers.VOffsetT, size int) (start flatbuffers.UOffsetT, n int, err error) {
	at := flatbuffers.UOffsetT(t.Offset(slot))
	if at == 0 {
		return 0, 0, nil
	}
	start, n = t.Vector(at), t.VectorLen(at)
	if int64(start)+int64(n)*int64(size) > int64(len(t.Bytes)) {
		return 0, 0, fmt.Errorf("a list of %d in metadata of %d bytes", n, len(t.Bytes))
	}
	return start, n, nil
}

// checkFields looks at the fields of a schema, or the children of a field, and all
// below. There are at most as many as are left: damaged offsets can make one field
// the child of many.
func checkFields(t flatbuffers.Table, fields, metadata flatbuffers.VOffsetT, left *int) error {
	if _, _, err := listAt(t, metadata, 4); err != nil {
		return err
	}
	start, n, err := listAt(t, fields, 4)
	if err != nil {
		return err
	}
	if *left -= n; *left < 0 {
		return errors.New("more fields than metadata")
	}
	for i := range n {
		at := start + flatbuffers.UOffsetT(4*i)
		field := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}
		if err := checkFields(field, fieldChildren, fieldMetadata, left); err != nil {
			return err
		}
	}
	return nil
}

// checkBatch holds the buffers that a batch has against those that its columns of
// views say to have.
func checkBatch(t flatbuffers.Table) error {
	if _, _, err := listAt(t, batchNodes, 16); err != nil {
		return err
	}
	_, buffers, err := listAt(t, batchBuffers, 16)
	if err != nil {
		return err
	}
	start, n, err := listAt(t, batchVariadic, 8)
	for i := range n {
		views := t.GetInt64(start + flatbuffers.UOffsetT(8*i))
		if views < 0 || views > int64(buffers) {
			return fmt.Errorf("%d buffers of views among %d", views, buffers)
		}
	}
	return err
}

const customMetadata, keyOf, valueOf = 12, 4, 6

// Kind of a message that was found.
const (
	SchemaMessage     = headerSchema
	DictionaryMessage = headerDictionary
	BatchMessage      = headerBatch
)

// Kind is what a message is: one of those above.
func (f Found) Kind() byte { return f.root().GetByteSlot(messageHeaderType, 0) }

func (f Found) root() *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: f.Meta, Pos: flatbuffers.GetUOffsetT(f.Meta)}
}

// Text is a custom field of a message, empty if it is not there. Damaged metadata makes a
// panic, for which there is Guard.
func (f Found) Text(key string) (string, error) { return textOf(*f.root(), customMetadata, key) }

// SchemaText is a field of the metadata of a message's schema.
func (f Found) SchemaText(key string) (string, error) {
	var schema flatbuffers.Table
	t := f.root()
	t.Union(&schema, flatbuffers.UOffsetT(t.Offset(messageHeader)))
	return textOf(schema, schemaMetadata, key)
}

func textOf(t flatbuffers.Table, slot flatbuffers.VOffsetT, key string) (string, error) {
	start, n, err := listAt(t, slot, 4)
	if err != nil {
		return "", err
	}
	for i := range n {
		pair := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}
		if k := flatbuffers.UOffsetT(pair.Offset(keyOf)); k == 0 || string(pair.ByteVector(k+pair.Pos)) != key {
			continue
		}
		if v := flatbuffers.UOffsetT(pair.Offset(valueOf)); v != 0 {
			return string(pair.ByteVector(v + pair.Pos)), nil
		}
	}
	return "", nil
}

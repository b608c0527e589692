package columnar

import (
	"errors"
	"fmt"

	"github.com/google/flatbuffers/go"
)

// The slots of Arrow's metadata (Message.fbs, Schema.fbs) that have lengths or texts.
const (
	messageHeaderType, messageHeader, messageBodyLength, messageCustom = 6, 8, 10, 12

	schemaFields, schemaMetadata            = 6, 8
	fieldChildren, fieldMetadata            = 14, 16
	dictionaryData                          = 6
	batchNodes, batchBuffers, batchVariadic = 6, 8, 12
	keyOf, valueOf                          = 4, 6
)

// Kinds of messages.
const (
	SchemaMessage     = 1
	DictionaryMessage = 2
	BatchMessage      = 3
)

// Kind is the kind of a message.
func (f Found) Kind() byte { return root(f.Meta).GetByteSlot(messageHeaderType, 0) }

func root(meta []byte) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
}

func header(t *flatbuffers.Table) (h flatbuffers.Table, err error) {
	at := flatbuffers.UOffsetT(t.Offset(messageHeader))
	if at == 0 {
		return h, errors.New("a message without a header")
	}
	t.Union(&h, at)
	return h, nil
}

// checkMessage returns the length of the body, and an error if the metadata has lists that
// are longer than itself. Offsets beyond the metadata panic, which Guard catches.
func checkMessage(meta []byte) (int64, error) {
	if len(meta) < 8 {
		return 0, errors.New("a message without metadata")
	}
	t := root(meta)
	if _, _, err := listAt(*t, messageCustom, 4); err != nil {
		return 0, err
	}
	h, err := header(t)
	if err != nil {
		return 0, err
	}
	switch t.GetByteSlot(messageHeaderType, 0) {
	case SchemaMessage:
		fields := len(meta)
		err = checkFields(h, schemaFields, schemaMetadata, &fields)
	case DictionaryMessage:
		at := flatbuffers.UOffsetT(h.Offset(dictionaryData))
		if at == 0 {
			return 0, errors.New("a dictionary without data")
		}
		err = checkBatch(flatbuffers.Table{Bytes: meta, Pos: h.Indirect(at + h.Pos)})
	case BatchMessage:
		err = checkBatch(h)
	}
	return t.GetInt64Slot(messageBodyLength, 0), err
}

// listAt returns where a list of elements of a size is, and its length.
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

func element(t flatbuffers.Table, start flatbuffers.UOffsetT, i int) flatbuffers.Table {
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}
}

// checkFields checks the fields of a schema, or the children of a field, and all below.
// Their number is bounded by left: damaged offsets can make one field the child of many.
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
		if err := checkFields(element(t, start, i), fieldChildren, fieldMetadata, left); err != nil {
			return err
		}
	}
	return nil
}

// checkBatch compares the number of buffers with what the columns of views claim.
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

// Text is the value of a key in the metadata of a message, or of its schema; empty without one.
func (f Found) Text(key string) (string, error) {
	t, slot := *root(f.Meta), flatbuffers.VOffsetT(messageCustom)
	if f.Kind() == SchemaMessage {
		h, err := header(&t)
		if err != nil {
			return "", err
		}
		t, slot = h, schemaMetadata
	}
	start, n, err := listAt(t, slot, 4)
	for i := range n {
		pair := element(t, start, i)
		if text(pair, keyOf) == key {
			return text(pair, valueOf), nil
		}
	}
	return "", err
}

func text(t flatbuffers.Table, slot flatbuffers.VOffsetT) string {
	if at := flatbuffers.UOffsetT(t.Offset(slot)); at != 0 {
		return string(t.ByteVector(at + t.Pos))
	}
	return ""
}

// The slots of a footer (File.fbs), and the bytes of each block that it lists.
const (
	footerSchema, footerDictionaries, footerBatches = 6, 8, 10

	blockBytes = 24
)

// Footer checks the part that other readers begin with: it must follow all messages, and list them.
func (m *Messages) Footer(f File, all []Found) error {
	whole, err := New(f)
	if err != nil {
		return err
	}
	if whole.left -= m.at - whole.at; whole.left != 0 {
		return Damaged(fmt.Errorf("%d bytes between its messages and its footer", whole.left))
	}
	footer, err := m.take(m.left - end)
	if err == nil {
		err = checkFooter(footer, all)
	}
	if err != nil {
		return Damaged(err)
	}
	return nil
}

// checkFooter compares the blocks of a footer with the messages.
func checkFooter(footer []byte, all []Found) error {
	t := root(footer)
	at := flatbuffers.UOffsetT(t.Offset(footerSchema))
	if at == 0 {
		return errors.New("a footer without a schema")
	}
	fields := len(footer)
	schema := flatbuffers.Table{Bytes: footer, Pos: t.Indirect(at + t.Pos)}
	if err := checkFields(schema, schemaFields, schemaMetadata, &fields); err != nil {
		return err
	}
	return errors.Join(checkBlocks(*t, footerDictionaries, DictionaryMessage, all), checkBlocks(*t, footerBatches, BatchMessage, all))
}

// checkBlocks compares a list of blocks with the messages of a kind.
func checkBlocks(t flatbuffers.Table, slot flatbuffers.VOffsetT, kind byte, all []Found) error {
	at, left, err := listAt(t, slot, blockBytes)
	for _, f := range all {
		if f.Kind() != kind {
			continue
		}
		if left--; left < 0 || t.GetInt64(at) != f.Start || int64(t.GetInt32(at+8)) != f.At-f.Start || t.GetInt64(at+16) != f.Length {
			return errors.New("its footer lists other messages")
		}
		at += blockBytes
	}
	if err == nil && left > 0 {
		err = errors.New("its footer lists more messages")
	}
	return err
}

package columnar

import (
	"errors"
	"fmt"

	"github.com/google/flatbuffers/go"
)

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

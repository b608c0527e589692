// Package tomlfile reads TOML value by value, in file order, and reports every error with file and line.
package tomlfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Key is the place of a value: the names of its tables, its own name, and its line.
type Key struct {
	Path   []string
	Line   int
	Decode func(into any) error // stores the value in a variable of its type
}

// String returns the dotted key, such as engine.batch_timeout.
func (k Key) String() string { return strings.Join(k.Path, ".") }

// Read calls f for every value and every empty table of a file, in file order, and stops at the first error.
// It descends into all tables, known or not, because only values have a line in every TOML notation. An array
// of tables is one value; so is a table for which whole returns true. Whole may be nil.
func Read(name, text string, whole func(key string) bool, f func(Key, any) error) error {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return placed(name, err)
	}
	return file{name, &meta, whole, f}.table(top, nil)
}

// placed is an error with the file, and with the line if that is known.
func placed(name string, err error) error {
	var parse toml.ParseError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d: %s", name, parse.Position.Line, parse.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

type file struct {
	name  string
	meta  *toml.MetaData
	whole func(key string) bool
	f     func(Key, any) error
}

func (r file) table(values map[string]toml.Primitive, path toml.Key) error {
	for _, key := range r.keys(path) {
		value := values[key[len(path)]]
		var inner map[string]toml.Primitive // stays nil unless the value is a table
		_ = r.meta.PrimitiveDecode(value, &inner)
		var err error
		if len(inner) > 0 && !(r.whole != nil && r.whole(key.String())) {
			err = r.table(inner, key)
		} else {
			v, line := r.value(value)
			if err = r.f(Key{key, line, func(into any) error { return r.meta.PrimitiveDecode(value, into) }}, v); err != nil {
				err = fmt.Errorf("%s:%d: %w", r.name, line, err)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// value returns a value and its line. The toml package gives lines only with errors, so this provokes one.
func (r file) value(value toml.Primitive) (v any, line int) {
	parse, _ := errors.AsType[toml.ParseError](r.meta.PrimitiveDecode(value, reader(func(is any) error { v = is; return errors.New("here") })))
	return v, parse.Position.Line
}

// keys lists the keys of one table in file order, without those of nested tables.
func (r file) keys(path toml.Key) (list []toml.Key) {
	for _, key := range r.meta.Keys() {
		if len(key) <= len(path) || !slices.Equal(key[:len(path)], path) {
			continue
		}
		child := key[:len(path)+1]
		if !slices.ContainsFunc(list, func(k toml.Key) bool { return slices.Equal(k, child) }) {
			list = append(list, child)
		}
	}
	return list
}

// reader receives one value; the toml package adds the line to its error.
type reader func(any) error

func (r reader) UnmarshalTOML(v any) error { return r(v) }

// Decode reads a file into a struct with the tag toml. A key that it has no field for is an error.
func Decode(name, text string, into any) error {
	meta, err := toml.Decode(text, into)
	if unknown := meta.Undecoded(); err == nil && len(unknown) > 0 {
		err = fmt.Errorf("unknown key %s", unknown[0])
	}
	return placed(name, err)
}

// Package tomlfile reads TOML strictly: value by value, in the order of the file, and
// what is wrong with one is said with file and line.
package tomlfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Key says where a value is: the names of its tables and its own, and the line.
type Key struct {
	Path []string
	Line int
}

// String is the key as it could be written: engine.batch_timeout.
func (k Key) String() string { return strings.Join(k.Path, ".") }

// Read calls f for every value of a file, in its order, and for every table that has
// none. It ends at the first error. It goes down to the values in any table, known or
// not: only they have a line in every way of writing them. Those of an array of tables
// are one value, and so is a table that whole says so of; it may be nil.
func Read(name, text string, whole func(key string) bool, f func(Key, any) error) error {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return located(name, err)
	}
	r := file{name: name, meta: &meta, whole: whole, f: f}
	return r.table(top, nil)
}

type file struct {
	name  string
	meta  *toml.MetaData
	whole func(key string) bool
	f     func(Key, any) error
}

func (r file) table(values map[string]toml.Primitive, path toml.Key) error {
	for _, key := range r.inOrder(path) {
		value := values[key[len(path)]]
		var inner map[string]toml.Primitive // stays nil if the value is no table
		_ = r.meta.PrimitiveDecode(value, &inner)
		if len(inner) > 0 && !(r.whole != nil && r.whole(key.String())) {
			if err := r.table(inner, key); err != nil {
				return err
			}
			continue
		}
		line := r.line(value)
		read := reader(func(v any) error { return r.f(Key{key, line}, v) })
		if err := r.meta.PrimitiveDecode(value, read); err != nil {
			return located(r.name, err)
		}
	}
	return nil
}

// line is where a value is: the toml package tells it of errors alone.
func (r file) line(value toml.Primitive) int {
	var parse toml.ParseError
	_ = errors.As(r.meta.PrimitiveDecode(value, reader(func(any) error { return errors.New("here") })), &parse)
	return parse.Position.Line
}

// inOrder lists the keys of a table, not those of tables in it.
func (r file) inOrder(path toml.Key) []toml.Key {
	var list []toml.Key
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

// reader takes one value. The toml package adds the line to its error.
type reader func(any) error

func (r reader) UnmarshalTOML(v any) error { return r(v) }

// located puts file and line in front of an error of the toml package.
func located(name string, err error) error {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %s", name, parse.Position.Line, parse.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

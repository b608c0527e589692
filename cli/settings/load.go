package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

const (
	prefix = "HASHZOO_"
	file   = "config.toml"

	fromDefault = "default"
)

// InForce are the settings in force, and where each came from.
type InForce struct {
	Settings
	From map[string]string // by key: default, config.toml, HASHZOO_..., --flag
}

// Defaults reads the settings that the program carries. They must be complete.
func Defaults(config string) (*InForce, error) {
	f := &InForce{From: map[string]string{}}
	if err := f.decode("embedded "+file, fromDefault, config); err != nil {
		return nil, err
	}
	for _, s := range Table {
		if f.From[s.Key] == "" {
			return nil, fmt.Errorf("embedded %s: %s is not there", file, s.Key)
		}
	}
	return f, nil
}

// Load adds config.toml of the current folder, if there is one, and the variables
// of an environment.
func (f *InForce) Load(environ []string) error {
	config, err := os.ReadFile(file)
	switch {
	case err == nil:
		if err := f.decode(file, file, string(config)); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, variable := range environ {
		if err := f.variable(variable); err != nil {
			return err
		}
	}
	return nil
}

// Text is a setting's value as a user writes it.
func (f *InForce) Text(key string) string { return Find(key).get(&f.Settings) }

// Set gives a setting another value.
func (f *InForce) Set(s Setting, value, from string) error {
	if err := s.set(&f.Settings, value); err != nil {
		return err
	}
	f.From[s.Key] = from
	return nil
}

// Check looks at what no single setting can say.
func (f *InForce) Check() error {
	if f.Repeat.Least > f.Repeat.Most {
		return fmt.Errorf("repeat.least is %d (%s), repeat.most is %d (%s): the least cannot be more than the most",
			f.Repeat.Least, f.From["repeat.least"], f.Repeat.Most, f.From["repeat.most"])
	}
	return nil
}

func (f *InForce) variable(assignment string) error {
	name, value, _ := strings.Cut(assignment, "=")
	if !strings.HasPrefix(name, prefix) || value == "" {
		return nil
	}
	var known []string
	for _, s := range Table {
		if s.Variable() == name {
			if err := f.Set(s, value, name); err != nil {
				return fmt.Errorf("%s %w", name, err)
			}
			return nil
		}
		known = append(known, s.Variable())
	}
	return nearest.Unknown("variable", name, known)
}

// decode reads a config file, strictly: every key must be a setting, every value
// of its type and in its range.
func (f *InForce) decode(name, from, config string) error {
	var top map[string]toml.Primitive
	meta, err := toml.Decode(config, &top)
	if err != nil {
		return located(name, err)
	}
	return f.section(&meta, top, nil, name, from)
}

// section reads the keys of a table in the order of the file, so that of several
// errors the first one is reported. It goes down to the values in any table, known
// or not: only they have a line in every way of writing them.
func (f *InForce) section(meta *toml.MetaData, values map[string]toml.Primitive, path toml.Key, name, from string) error {
	for _, key := range inOrder(meta, path) {
		value := values[key[len(path)]]
		var inner map[string]toml.Primitive // stays nil if the value is no table
		_ = meta.PrimitiveDecode(value, &inner)
		if !takesTable(key) && (len(inner) > 0 || inner != nil && isSection(key)) {
			if err := f.section(meta, inner, key, name, from); err != nil {
				return err
			}
			continue
		}
		read := reader(func(v any) error { return f.read(key.String(), v, from) })
		if err := meta.PrimitiveDecode(value, read); err != nil {
			return located(name, err)
		}
	}
	return nil
}

// inOrder lists the keys of a table, not those of tables in it.
func inOrder(meta *toml.MetaData, path toml.Key) []toml.Key {
	var list []toml.Key
	for _, key := range meta.Keys() {
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

// takesTable says whether a table is the value of a setting, not a section of settings.
func takesTable(key toml.Key) bool {
	return slices.ContainsFunc(Table, func(s Setting) bool { return s.table && s.Key == key.String() })
}

func isSection(key toml.Key) bool {
	return slices.ContainsFunc(Table, func(s Setting) bool { return strings.HasPrefix(s.Key, key.String()+".") })
}

// reader takes one value. The toml package adds the line to its error.
type reader func(any) error

func (r reader) UnmarshalTOML(v any) error { return r(v) }

func (f *InForce) read(key string, value any, from string) error {
	var known []string
	for _, s := range Table {
		if s.Key != key {
			known = append(known, s.Key)
			continue
		}
		text, ok := s.fromTOML(value)
		if !ok {
			return fmt.Errorf("%s is %v, of another type: it takes %s", key, value, s.Allowed)
		}
		if err := f.Set(s, text, from); err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
		return nil
	}
	return nearest.Unknown("setting", key, known)
}

// located puts file and line in front of an error of the toml package.
func located(name string, err error) error {
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %s", name, parse.Position.Line, parse.Message)
	}
	return fmt.Errorf("%s: %w", name, err)
}

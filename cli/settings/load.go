package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
)

const (
	prefix = "HASHZOO_"
	file   = "config.toml"

	fromDefault = "default"
)

// InForce is the settings in effect, and the source of each.
type InForce struct {
	Settings
	From map[string]string // by key: default, config.toml, HASHZOO_..., --flag
}

// Defaults reads the embedded settings, which must be complete.
func Defaults(config string) (*InForce, error) {
	f := &InForce{From: map[string]string{}}
	if err := f.decode("embedded "+file, fromDefault, config); err != nil {
		return nil, err
	}
	for _, s := range Table {
		if f.From[s.Key] == "" {
			return nil, fmt.Errorf("embedded %s: %s is missing", file, s.Key)
		}
	}
	return f, nil
}

// Load adds the config.toml of the current folder, if any, and the variables of an environment.
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

// Text returns a setting's value as a user writes it.
func (f *InForce) Text(key string) string { return Find(key).get(&f.Settings) }

// Texts returns all settings as a user writes them.
func (f *InForce) Texts() map[string]string {
	texts := map[string]string{}
	for _, s := range Table {
		texts[s.Key] = s.get(&f.Settings)
	}
	return texts
}

// SetByFlag is Set for a flag, which may append to the value.
func (f *InForce) SetByFlag(s Setting, value string) error {
	before := s.get(&f.Settings)
	if !s.Adds || before == "" {
		return f.Set(s, value, "--"+s.Flag)
	}
	from := f.From[s.Key]
	if !strings.HasSuffix(from, "--"+s.Flag) {
		from += ", --" + s.Flag
	}
	return f.Set(s, before+string(filepath.ListSeparator)+value, from)
}

// Set changes the value of a setting.
func (f *InForce) Set(s Setting, value, from string) error {
	if err := s.set(&f.Settings, value); err != nil {
		return err
	}
	f.From[s.Key] = from
	return nil
}

// Check validates settings that depend on each other.
func (f *InForce) Check() error {
	if f.Repeat.Least > f.Repeat.Most {
		return fmt.Errorf("repeat.least is %d (%s), repeat.most is %d (%s): the least must not exceed the most",
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

// decode reads a config file strictly: every key must be a setting, and every value must have
// its type and range.
func (f *InForce) decode(name, from, config string) error {
	return tomlfile.Read(name, config, takesTable, func(key tomlfile.Key, value any) error {
		if _, empty := value.(map[string]any); empty && isSection(key.String()) {
			return nil
		}
		return f.read(key.String(), value, from)
	})
}

// takesTable reports whether a table is the value of a setting, not a section.
func takesTable(key string) bool {
	return slices.ContainsFunc(Table, func(s Setting) bool { return s.table && s.Key == key })
}

func isSection(key string) bool {
	return slices.ContainsFunc(Table, func(s Setting) bool { return strings.HasPrefix(s.Key, key+".") })
}

func (f *InForce) read(key string, value any, from string) error {
	var known []string
	for _, s := range Table {
		if s.Key != key {
			known = append(known, s.Key)
			continue
		}
		text, ok := s.fromTOML(value)
		if !ok {
			return fmt.Errorf("%s is %v: it takes %s", key, value, s.Allowed)
		}
		if err := f.Set(s, text, from); err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
		return nil
	}
	return nearest.Unknown("setting", key, known)
}

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
)

const (
	prefix = "HASHZOO_"
	file   = "config.toml"

	// FromDefault is the source of a setting that nobody has set.
	FromDefault = "default"
)

// InForce is the settings in effect, and the source of each.
type InForce struct {
	Settings
	From map[string]string // by key: default, config.toml, HASHZOO_..., --flag
}

// Defaults reads the embedded settings, which must be complete.
func Defaults(config string) (*InForce, error) {
	f := &InForce{From: map[string]string{}}
	if err := f.decode("embedded "+file, FromDefault, config); err != nil {
		return nil, err
	}
	for _, s := range f.Table() {
		if f.From[s.Key] == "" {
			return nil, fmt.Errorf("embedded %s: %s is missing", file, s.Key)
		}
	}
	return f, nil
}

// Load adds the user's config.toml, that of the current folder, and an environment's variables.
func (f *InForce) Load(environ []string) error {
	if folder, err := os.UserConfigDir(); err == nil {
		if err := f.file(filepath.Join(folder, "hashzoo", file)); err != nil {
			return err
		}
	}
	if err := f.untrusted(file); err != nil {
		return err
	}
	for _, variable := range environ {
		if err := f.variable(variable); err != nil {
			return err
		}
	}
	return nil
}

// Text returns a setting's value as a user writes it.
func (f *InForce) Text(key string) string { return f.Find(key).String() }

// Texts returns all settings as a user writes them.
func (f *InForce) Texts() map[string]string {
	texts := map[string]string{}
	for _, s := range f.Table() {
		texts[s.Key] = s.String()
	}
	return texts
}

// SetByFlag is Set for a flag. A flag for folders adds to the value.
func (f *InForce) SetByFlag(s Setting, value string) error {
	before, from, flag := s.String(), f.From[s.Key], "--"+s.Flag
	switch {
	case s.Kind != "folder" || before == "":
		return f.Set(s, value, flag)
	case !strings.HasSuffix(from, flag):
		from += ", " + flag
	}
	return f.Set(s, before+folderSeparator+value, from)
}

// Set changes the value of a setting.
func (f *InForce) Set(s Setting, value, from string) error {
	f.From[s.Key] = from
	return s.Set(value)
}

// Check validates settings that depend on each other.
func (f *InForce) Check() error {
	if f.Repeat.Least > f.Repeat.Most {
		return fmt.Errorf("repeat.least is %d (%s), repeat.most is %d (%s): the least must not exceed the most",
			f.Repeat.Least, f.From["repeat.least"], f.Repeat.Most, f.From["repeat.most"])
	}
	return nil
}

// untrusted adds the config file of the current folder, which may have come with an archive
// or a repository: it brings no native code, and raises no limit of scripts.
func (f *InForce) untrusted(path string) error {
	plugins, from, limits := f.Plugins, f.From["plugins"], f.Lua
	f.Plugins = nil
	if err := f.file(path); err != nil {
		return err
	}
	const hint = "hint: use the flag, the variable, or hashzoo/config.toml in your configuration folder"
	if len(f.Plugins) > 0 {
		return fmt.Errorf("%s: plugins are native code, which the current folder's file must not name; %s", path, hint)
	}
	if f.Lua.Above(limits) {
		return fmt.Errorf("%s: the current folder's file must not raise a limit of scripts (lua); %s", path, hint)
	}
	f.Plugins, f.From["plugins"] = plugins, from
	return nil
}

func (f *InForce) file(path string) error {
	config, err := regular.Read(path, regular.Text)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling == nil {
			return fmt.Errorf("%s: the link leads nowhere", path)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return f.decode(path, path, string(config))
}

func (f *InForce) variable(assignment string) error {
	name, value, _ := strings.Cut(assignment, "=")
	if !strings.HasPrefix(name, prefix) || value == "" {
		return nil
	}
	s, err := f.lookup("variable", name, Setting.Variable)
	if err != nil {
		return err
	}
	if err := f.Set(s, value, name); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

// decode reads a config file strictly: every key is a setting, with a value of its type and range.
func (f *InForce) decode(name, from, config string) error {
	takesTable := func(key string) bool {
		return slices.ContainsFunc(f.Table(), func(s Setting) bool { return s.Key == key && s.Kind == "bindings" })
	}
	return tomlfile.Read(name, config, takesTable, func(key tomlfile.Key, value any) error {
		inSection := func(s Setting) bool { return strings.HasPrefix(s.Key, key.String()+".") }
		if _, empty := value.(map[string]any); empty && slices.ContainsFunc(f.Table(), inSection) {
			return nil
		}
		return f.read(key.String(), value, from)
	})
}

func (f *InForce) read(key string, value any, from string) error {
	s, err := f.lookup("setting", key, func(s Setting) string { return s.Key })
	if err != nil {
		return err
	}
	text, ok := fromTOML(s.Kind, value)
	if !ok {
		return fmt.Errorf("%s is %v: it takes %s", key, value, s.Allowed)
	}
	if err := f.Set(s, text, from); err != nil {
		return fmt.Errorf("%s %w", key, err)
	}
	return nil
}

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
)

// Script reads the script that ships under a name, or that is in a file.
func Script(name string, limits lua.Limits) (*lua.Script, error) {
	if s, err := scripts.Find(name); err == nil {
		return lua.Inspect(s.Name+".lua", s.Source, s.Folder(), limits)
	}
	source, err := regular.Read(name, sandbox.MaxSource)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noScript(name)
	case err != nil:
		return nil, fmt.Errorf("script %w", err)
	}
	folder, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("script %w", err)
	}
	return lua.Inspect(name, string(source), folder.FS(), limits)
}

// noScript suggests scripts that ship, or says where to look.
func noScript(name string) error {
	if near := nearest.Names(strings.TrimSuffix(name, ".lua"), scripts.Names()); len(near) > 0 {
		return nearest.Unknown("script", name, near)
	}
	return fmt.Errorf("unknown script %q: there is no such file, and none of that name ships; hashzoo scripts lists those that do", name)
}

// Schemes reads lists of schemes with their parameters, as in a,b:bucket=16,hashes=2,c.
// Without a list it returns all schemes.
func Schemes(texts []string) ([]schemes.Config, error) {
	names := schemes.Names()
	if len(texts) > 0 {
		names = nil
	}
	for _, text := range texts {
		split, err := splitSchemes(text)
		if err != nil {
			return nil, err
		}
		names = append(names, split...)
	}
	var configs []schemes.Config
	for _, name := range names {
		config, err := schemes.Parse(name)
		if err != nil {
			return nil, err
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// splitSchemes splits at commas. A piece that is a setting belongs to the scheme before it.
func splitSchemes(text string) ([]string, error) {
	var list []string
	for _, piece := range strings.Split(text, ",") {
		last := len(list) - 1
		switch setting := strings.Contains(piece, "=") && !strings.Contains(piece, ":"); {
		case !setting:
			list = append(list, piece)
		case last < 0:
			return nil, fmt.Errorf("schemes are %q: the setting %s has no scheme before it", text, piece)
		case !strings.Contains(list[last], ":"):
			return nil, fmt.Errorf("schemes are %q: the first setting comes after a colon: %s:%s", text, list[last], piece)
		default:
			list[last] += "," + piece
		}
	}
	return list, nil
}

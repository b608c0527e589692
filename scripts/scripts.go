// Package scripts contains the workloads that ship with the program.
package scripts

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
)

//go:embed *.lua */*.lua */*.published.csv */*.toml
var files embed.FS

const extension = ".lua"

// Script is a workload that ships.
type Script struct {
	Name   string // such as ycsb/a
	Title  string // its first line
	Source string
}

// Published returns the file of published numbers beside the script, or nothing.
func (s Script) Published() string {
	text, _ := files.ReadFile(s.Name + results.PublishedExtension)
	return string(text)
}

// ClaimsExtension is the end of the name of a file with what a paper claims: what its scripts begin with comes before it.
const ClaimsExtension = ".claims.toml"

// Claims returns the files of what papers claim, by their names without the extension.
func Claims() map[string]string {
	list := map[string]string{}
	names, _ := fs.Glob(files, "*/*"+ClaimsExtension)
	for _, name := range names {
		list[strings.TrimSuffix(name, ClaimsExtension)] = string(lists.Must(files.ReadFile(name)))
	}
	return list
}

// Questions is the file of the questions of the suite.
func Questions() (name, text string) {
	name = "suite/questions.toml"
	return name, string(lists.Must(files.ReadFile(name)))
}

// Folder returns the folder from which the script may read modules and numbers.
func (s Script) Folder() fs.FS { return lists.Must(fs.Sub(files, path.Dir(s.Name))) }

// first is the script that lists and the form begin with.
const first = "quickstart" + extension

// All returns the scripts: the first one, then the others sorted by name, those outside folders before those inside.
func All() []Script {
	top, _ := fs.Glob(files, "*"+extension)
	top = append([]string{first}, slices.DeleteFunc(top, func(name string) bool { return name == first })...)
	below, _ := fs.Glob(files, "*/*"+extension)
	return lists.Map(append(top, below...), func(file string) Script { return lists.Must(Find(file)) }) // they are embedded
}

// Get returns a script by name, with or without the extension, if there is one.
func Get(name string) (s Script, ok bool) {
	name = strings.TrimSuffix(name, extension)
	source, err := files.ReadFile(name + extension)
	title, _, _ := strings.Cut(string(source), "\n")
	return Script{Name: name, Title: strings.TrimSpace(strings.TrimPrefix(title, "--")), Source: string(source)}, err == nil
}

// Names returns the names of all scripts.
func Names() []string { return lists.Map(All(), func(s Script) string { return s.Name }) }

// Find is Get, with an error that names similar scripts.
func Find(name string) (Script, error) {
	if s, ok := Get(name); ok {
		return s, nil
	}
	return Script{}, nearest.Unknown("script", strings.TrimSuffix(name, extension), Names())
}

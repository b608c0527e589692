package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
)

// Generate makes the files of a repository that follow from the manifests under schemes/, by
// their paths: in each folder variants.cc and scheme.go, and runtime/zoo/zoo.go, which links
// them all.
func Generate(root string) (map[string]string, error) {
	manifests, err := filepath.Glob(filepath.Join(root, "schemes", "*", File))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	var imports, ships strings.Builder
	for _, path := range manifests {
		folder := filepath.Dir(path)
		name := filepath.Base(folder)
		if err := generateScheme(folder, filepath.Join("schemes", name), files); err != nil {
			return nil, err
		}
		alias, functions := PackageName(name), "manifest.Functions{}"
		fmt.Fprintf(&imports, "\t%s %q\n", alias, module+"/schemes/"+name)
		if _, err := os.Stat(filepath.Join(folder, "host")); err == nil {
			functions = alias + "host.Functions"
			fmt.Fprintf(&imports, "\t%shost %q\n", alias, module+"/schemes/"+name+"/host")
		}
		fmt.Fprintf(&ships, "\tmanifest.Ship(%q, %s.Folder, %s)\n", name, alias, functions)
	}
	zoo := fmt.Sprintf(zooText, imports.String(), ships.String())
	files[filepath.Join("runtime", "zoo", "zoo.go")] = generatedHead + zoo
	return files, nil
}

const module = "github.com/hashzoo/hashzoo"

const zooText = `
// Package zoo links the schemes that ship, and their kernels for GPUs, into a program.
package zoo

import (
	_ "github.com/hashzoo/hashzoo/kernels/ptx"
	"github.com/hashzoo/hashzoo/runtime/manifest"
%s)

func init() {
%s}
`

func generateScheme(folder, place string, files map[string]string) error {
	m, err := Outline(os.DirFS(folder), place)
	if err != nil {
		return err
	}
	d, err := m.Declare()
	if err != nil {
		return err
	}
	if name := filepath.Base(folder); d.Name != name {
		return d.Wrong("name", "is %s, in the folder %s: they must be the same", d.Name, name)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var carried []string // patterns of the files that the program carries
	for _, e := range entries {
		extension := filepath.Ext(e.Name())
		if pattern := "*" + extension; strings.Contains(".h .toml .txt .csv .lua", extension) && extension != "" && !slices.Contains(carried, pattern) {
			carried = append(carried, pattern)
		}
	}
	slices.Sort(carried)
	files[filepath.Join(place, "variants.cc")] = d.variantsFile()
	files[filepath.Join(place, "scheme.go")] = d.packageFile(carried)
	return nil
}

// Write writes generated files where they differ, and returns the paths of those.
func Write(root string, files map[string]string) (written []string, err error) {
	for path, text := range files {
		at := filepath.Join(root, path)
		if have, err := os.ReadFile(at); err == nil && string(have) == text {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return written, err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	slices.Sort(written)
	return written, nil
}

const generatedHead = "// Code generated from the scheme.toml of schemes by go generate ./schemes. DO NOT EDIT.\n"

// variantsFile is variants.cc of a scheme that ships.
func (d *Declaration) variantsFile() string {
	return generatedHead + "// clang-format off\n" + d.Source(false)
}

// packageFile's package imports nothing but the shared headers, so that its kernels are
// compiled again only when a header changes.
const packageText = `
// Package @package@ has the kernels of the scheme @name@: @title@.
package @package@

// #cgo CXXFLAGS: -I${SRCDIR}/../../kernels @host@ -Werror
// #cgo !asan CXXFLAGS: -g0
// #cgo amd64 CXXFLAGS: @amd64@
// #cgo arm64 CXXFLAGS: @arm64@
// #cgo LDFLAGS: -lstdc++
import "C"

import (
	"embed"

	_ "github.com/hashzoo/hashzoo/kernels"
)

// Folder has the files that declare the scheme.
//
//go:embed @files@
var Folder embed.FS
`

// packageFile is scheme.go of a scheme that ships: it compiles the folder's C++ with the flags
// of kernels/flags.txt.
func (d *Declaration) packageFile(carried []string) string {
	return generatedHead + strings.NewReplacer("@package@", PackageName(d.Name), "@name@", d.Name, "@title@", d.Title,
		"@host@", flags("host"), "@amd64@", flags("amd64"), "@arm64@", flags("arm64"),
		"@files@", strings.Join(carried, " ")).Replace(packageText)
}

func flags(name string) string { return strings.Join(kernels.Flags(name), " ") }

// digits begin names of packages in place of a digit.
var digits = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// PackageName is the name of a scheme's Go package, which begins with a letter.
func PackageName(name string) string {
	if name[0] >= '0' && name[0] <= '9' {
		return digits[name[0]-'0'] + name[1:]
	}
	return name
}

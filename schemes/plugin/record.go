package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/BurntSushi/toml"

	"github.com/hashzoo/hashzoo/kernels"
)

// recordFile is what a folder has that was built.
const recordFile = "build.toml"

// record is what is known of a plugin that was built.
type record struct {
	ABI       int               `toml:"abi"`
	Name      string            `toml:"name"`
	Compiler  string            `toml:"compiler"`
	Processor string            `toml:"processor"` // amd64
	Sources   string            `toml:"sources"`   // digest of what it was built from
	Files     map[string]string `toml:"files"`     // digests of what was built, by name
}

const recordHead = "# What this plugin of hashzoo was built from and with. The files are loaded only if they\n" +
	"# have these digests; hashzoo plugin build makes them anew.\n"

// write writes the record of a folder's files.
func (r record) write(folder string) error {
	text := bytes.NewBufferString(recordHead)
	if err := toml.NewEncoder(text).Encode(r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, recordFile), text.Bytes(), 0o644)
}

// readRecord reads it. A record of another version may have other keys.
func readRecord(folder string) (r record, err error) {
	path := filepath.Join(folder, recordFile)
	if _, err := toml.DecodeFile(path, &r); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if r.ABI != kernels.ABIVersion {
		return r, fmt.Errorf("it was built for version %d of the kernels' interface, and this program has %d; hint: hashzoo plugin build, with the sources",
			r.ABI, kernels.ABIVersion)
	}
	if r.Processor != runtime.GOARCH {
		return r, fmt.Errorf("it was built for %s processors, and this one is %s; hint: hashzoo plugin build, with the sources", r.Processor, runtime.GOARCH)
	}
	if !goodName.MatchString(r.Name) {
		return r, fmt.Errorf("%s: name is %q, which no plugin has", path, r.Name)
	}
	return r, nil
}

// file reads a file of the folder, if it is as it was built.
func (r record) file(folder, name string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	if digest(content) != r.Files[name] {
		return nil, fmt.Errorf("%s has changed since it was built; hint: hashzoo plugin build", filepath.Join(folder, name))
	}
	return content, nil
}

// hash is one digest for all files: that of the plugin.
func (r record) hash() string {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		all = append(all, name+" "+r.Files[name]+"\n"...)
	}
	return digest(all)
}

// digest is short enough to be read, and long enough that nobody finds two of the same.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// sourcesDigest is of all that a plugin is built from, but for the headers of the program,
// which the ABI version stands for.
func sourcesDigest(folder string) (string, error) {
	var all []byte
	for _, pattern := range []string{manifestFile, "*.h", "*.lua", "testdata/*.txt"} {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return "", err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			all = append(all, filepath.Base(path)+" "+digest(content)+"\n"...)
		}
	}
	return digest(all), nil
}

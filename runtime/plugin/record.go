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
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

const recordFile = "build.toml" // identifies a built folder

// record describes a built plugin.
type record struct {
	ABI       int               `toml:"abi"`
	Name      string            `toml:"name"`
	Only      string            `toml:"only,omitempty"` // settings: their variant alone is compiled, for CPUs alone
	Compiler  string            `toml:"compiler"`
	Processor string            `toml:"processor"` // for example amd64
	Sources   string            `toml:"sources"`   // digest of the sources
	Files     map[string]string `toml:"files"`     // digests of the built files, by name
}

const recordHead = "# What this plugin of hashzoo was built from and with. The files are loaded only if they\n" +
	"# have these digests; hashzoo plugin build makes them anew.\n"

func (r record) write(folder string) error {
	text := bytes.NewBufferString(recordHead)
	if err := toml.NewEncoder(text).Encode(r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, recordFile), text.Bytes(), 0o644)
}

// readRecord reads a record. One of another version may have other keys.
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
	if err := manifest.GoodName(r.Name); err != nil {
		return r, fmt.Errorf("%s: name %w", path, err)
	}
	return r, nil
}

// file reads a file of the folder if it is unchanged since the build.
func (r record) file(folder, name string) ([]byte, error) {
	content, err := regular.Read(filepath.Join(folder, name), regular.Binary)
	if err != nil {
		return nil, err
	}
	if digest(content) != r.Files[name] {
		return nil, fmt.Errorf("%s has changed since it was built; hint: hashzoo plugin build", filepath.Join(folder, name))
	}
	return content, nil
}

// hash returns the plugin's digest, which covers all files.
func (r record) hash() string {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		all = append(all, name+" "+r.Files[name]+"\n"...)
	}
	return digest(all)
}

// digest is short enough to read, and long enough to exclude collisions.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// sourcesDigest covers all sources of a plugin except the program's headers, which the
// ABI version stands for.
func sourcesDigest(folder string) (string, error) {
	var all []byte
	for _, pattern := range []string{manifest.File, "*.h", manifest.Lua, manifest.Vectors, manifest.Figures} {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return "", err
		}
		for _, path := range paths {
			content, err := regular.Read(path, regular.Text)
			if err != nil {
				return "", err
			}
			all = append(all, filepath.Base(path)+" "+digest(content)+"\n"...)
		}
	}
	return digest(all), nil
}

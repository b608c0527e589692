package manifest

import (
	"io/fs"
	"path"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// shipped are the manifests of the compiled-in schemes, by name.
var shipped = map[string]func() (*Manifest, error){}

// Ship adds a compiled-in scheme. It is declared when it is first used, and a mistake in its
// manifest panics then; a test proves them all.
func Ship(name string, functions Functions) {
	read := sync.OnceValues(func() (*Manifest, error) {
		folder, err := fs.Sub(schemes.Folders, name)
		if err != nil {
			return nil, err
		}
		return Read(folder, path.Join("schemes", name), functions)
	})
	shipped[name] = read
	schemes.Ship(name, func() *schemes.Scheme {
		m, err := read()
		if err != nil {
			panic(err)
		}
		return m.Scheme
	})
}

// Shipped returns the manifest of a compiled-in scheme.
func Shipped(name string) (*Manifest, error) { return shipped[name]() }

// Files are those of the scheme's folder that the program carries.
func (m *Manifest) Files() fs.FS { return m.folder }

// InGo reports whether the manifest names Go code of its folder, which a plugin cannot have.
func (m *Manifest) InGo() bool {
	for _, name := range m.Host {
		if _, shared := host.Operations[name]; !shared {
			return true
		}
	}
	return len(m.Go) > 0
}

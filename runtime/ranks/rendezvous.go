package ranks

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// rendezvous is where ranks find rank 0: a file that it writes, or an address.
type rendezvous struct {
	name    string // for people
	file    string
	address string
	here    bool // all ranks are on this host
	secret  string
}

const tcp = "tcp://"

// meetAt reads a rendezvous: a path, tcp://host:port, or nothing for one that follows from the launcher's variables.
func (p Place) meetAt(name string) (r rendezvous, err error) {
	r = rendezvous{name: name, here: p.Beside == p.Ranks}
	switch {
	case name == "" && (r.here || p.Host == ""):
		r.file = filepath.Join(os.TempDir(), "hashzoo-"+filepath.Base(p.Job))
		r.name = r.file
	case name == "":
		r.address = fmt.Sprintf("%s:%d", p.Host, p.port())
		r.name = tcp + r.address
	case strings.HasPrefix(name, tcp):
		r.address = strings.TrimPrefix(name, tcp)
		if _, _, err := net.SplitHostPort(r.address); err != nil {
			return r, fmt.Errorf("rendezvous is %q: it takes tcp://host:port, or the path of a file", name)
		}
	case strings.Contains(name, "://"):
		return r, fmt.Errorf("rendezvous is %q: it takes tcp://host:port, or the path of a file", name)
	default:
		r.file = name
	}
	if r.address != "" {
		r.secret = fmt.Sprintf("%x", sha256.Sum256([]byte(p.Job)))
	}
	return r, nil
}

// port is one that jobs on the same host rarely share.
func (p Place) port() int {
	sum := sha256.Sum256([]byte(p.Job))
	return 20000 + int(binary.LittleEndian.Uint16(sum[:]))%12000
}

// listen opens the rendezvous.
func (r *rendezvous) listen() (net.Listener, error) {
	if r.address != "" {
		at, err := net.Listen("tcp", listening(r.address))
		if err != nil {
			return nil, fmt.Errorf("ranks: rank 0 cannot listen at %s: %w; hint: --rendezvous tcp://HOST:PORT, with an address of rank 0's host", r.name, err)
		}
		return at, nil
	}
	at, err := listenAnywhere(r.here)
	if err != nil {
		return nil, err
	}
	return at, r.publish(at)
}

// listening is where rank 0 listens for an address by which others find it. What a name means on its own host is often
// an address that no other host can reach.
func listening(address string) string {
	host, port, _ := net.SplitHostPort(address)
	if net.ParseIP(host) == nil {
		return ":" + port
	}
	return address
}

func listenAnywhere(here bool) (net.Listener, error) {
	if here {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return net.Listen("tcp", ":0")
}

// publish writes the address of rank 0 and a secret to the file, which only its owner can read.
func (r *rendezvous) publish(at net.Listener) error {
	host := "127.0.0.1"
	if !r.here {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		host = name
	}
	r.secret = rand.Text()
	temporary := fmt.Sprintf("%s.%d", r.file, os.Getpid())
	text := fmt.Sprintf("%s:%d %s\n", host, at.Addr().(*net.TCPAddr).Port, r.secret)
	_ = os.Remove(temporary)
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("ranks: rendezvous %s: %w", r.name, err)
	}
	_, err = f.WriteString(text)
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = os.Rename(temporary, r.file)
	}
	if err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("ranks: rendezvous %s: %w", r.name, err)
	}
	return nil
}

// find returns the address of rank 0, once it has one.
func (r *rendezvous) find() (string, error) {
	if r.address != "" {
		return r.address, nil
	}
	info, err := os.Stat(r.file)
	if err != nil {
		return "", err
	}
	if !private(info) {
		return "", fmt.Errorf("%s is not this user's alone: it cannot be trusted", r.file)
	}
	text, err := os.ReadFile(r.file)
	if err != nil {
		return "", err
	}
	address, secret, whole := strings.Cut(strings.TrimSpace(string(text)), " ")
	if !whole {
		return "", fmt.Errorf("%s does not say where rank 0 is", r.file)
	}
	r.secret = secret
	return address, nil
}

// remove removes the file once all ranks have met.
func (r *rendezvous) remove() {
	if r.file != "" {
		_ = os.Remove(r.file)
	}
}

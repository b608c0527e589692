package ranks

import (
	"bufio"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// link is a connection to another rank.
type link struct {
	net.Conn
	in    *bufio.Reader
	out   *bufio.Writer
	enc   *gob.Encoder
	dec   *gob.Decoder
	mutex sync.Mutex // of the sending side
}

const linkBuffer = 1 << 16

func newLink(c net.Conn) *link {
	l := &link{Conn: c, in: bufio.NewReaderSize(c, linkBuffer), out: bufio.NewWriterSize(c, linkBuffer)}
	l.enc, l.dec = gob.NewEncoder(l.out), gob.NewDecoder(l.in)
	return l
}

// send sends a message; without flush it may wait for the next one.
func (l *link) send(message any, flush bool) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	err := l.enc.Encode(message)
	if err == nil && flush {
		err = l.out.Flush()
	}
	return err
}

// hello is what a rank says about itself on each connection that it makes.
type hello struct {
	Rank, Ranks int
	Data        bool   // the connection is for exchanges
	Address     string // where this rank takes those of others
	Build       string
	Nonce       []byte
	Proof       []byte // that it knows the secret of the job
}

type welcome struct {
	Proof     []byte
	Refused   string
	Addresses []string // by rank
}

var errStranger = errors.New("it does not belong to this job")

func proof(secret string, nonce []byte, side string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(nonce)
	mac.Write([]byte(side))
	return mac.Sum(nil)
}

// greet is the side of the rank that made a connection. Both sides prove that they know the secret.
func (l *link) greet(secret string, h hello) error {
	var challenge []byte
	h.Nonce = make([]byte, 16)
	_, _ = rand.Read(h.Nonce)
	if err := l.dec.Decode(&challenge); err != nil {
		return err
	}
	h.Proof = proof(secret, challenge, "joins")
	var w welcome
	if err := errors.Join(l.send(h, true), l.dec.Decode(&w)); err != nil {
		return err
	}
	if !hmac.Equal(w.Proof, proof(secret, h.Nonce, "takes")) {
		return errStranger
	}
	if w.Refused != "" {
		return &refusal{w.Refused}
	}
	return nil
}

// refusal is why rank 0 does not take a rank, which waiting does not change.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// take is the side of the rank that accepted a connection.
func (l *link) take(secret string, check func(hello) error) (h hello, err error) {
	challenge := make([]byte, 16)
	_, _ = rand.Read(challenge)
	if err := errors.Join(l.send(challenge, true), l.dec.Decode(&h)); err != nil {
		return h, err
	}
	if !hmac.Equal(h.Proof, proof(secret, challenge, "joins")) {
		return h, errStranger
	}
	w := welcome{Proof: proof(secret, h.Nonce, "takes")}
	if err = check(h); err != nil {
		w.Refused = err.Error()
	}
	return h, errors.Join(err, l.send(w, true))
}

// accept takes connections until one is a rank's. Strangers are sent away.
func (m *Mesh) accept(at net.Listener, deadline time.Time, check func(hello) error) (*link, hello, error) {
	for {
		if err := at.(*net.TCPListener).SetDeadline(deadline); err != nil {
			return nil, hello{}, err
		}
		c, err := at.Accept()
		if err != nil {
			return nil, hello{}, err
		}
		l := newLink(c)
		_ = c.SetDeadline(earlier(deadline, time.Now().Add(greeting)))
		h, err := l.take(m.secret, check)
		if err == nil {
			return l, h, c.SetDeadline(time.Time{})
		}
		_ = c.Close()
		if wrong := new(refusal); errors.As(err, &wrong) {
			return nil, h, fmt.Errorf("ranks: %w", err)
		}
	}
}

// greeting is the time that a stranger has to say who it is.
const greeting = 2 * time.Second

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// keys makes numbers of keys. A file has either whole numbers or texts; the first key
// tells which.
type keys struct {
	width int
	text  bool // all are texts

	begun, hashed bool
	seen          map[uint64]uint64 // of texts: the number, and another hash
	collisions    uint64
	reserved      uint64
}

// mostSeen bounds the texts that are remembered to find those that share a number.
const mostSeen = 1 << 22

func (k *keys) number(c cell) (uint64, error) {
	if c.is == cellNone || c.is == cellText && c.text == "" {
		return 0, errNoKey
	}
	n, whole := c.whole()
	if !k.begun {
		k.begun, k.hashed = true, k.text || !whole
	}
	switch {
	case k.hashed:
		n = k.hash(c.String())
	case !whole:
		return 0, fmt.Errorf("key %s is no whole number, and the first one is; hint: --text takes all as texts", c)
	case k.width == 4 && n > math.MaxUint32:
		return 0, fmt.Errorf("key %d does not fit 4 bytes; hint: --pair k8v8, or --text", n)
	}
	if n >= math.MaxUint64>>(64-8*k.width)-1 {
		k.reserved++
	}
	return n, nil
}

// hash is the low bytes of a text's XXH3-64.
func (k *keys) hash(text string) uint64 {
	n := xxh3.HashString(text) & (math.MaxUint64 >> (64 - 8*k.width))
	other := xxh3.HashStringSeed(text, 1)
	if k.seen == nil {
		k.seen = map[uint64]uint64{}
	}
	switch was, there := k.seen[n]; {
	case there && was != other:
		k.collisions++
	case !there && len(k.seen) < mostSeen:
		k.seen[n] = other
	}
	return n
}

func (k *keys) remarks() (list []string) {
	if k.hashed {
		list = append(list, fmt.Sprintf("keys are texts: each is the low %d bytes of its XXH3-64", k.width))
		text := fmt.Sprintf("rows whose text shares its number with another one: %d", k.collisions)
		if len(k.seen) == mostSeen {
			text += fmt.Sprintf(", among the first %d different numbers", mostSeen)
		}
		list = append(list, text)
	}
	if k.reserved > 0 {
		list = append(list, fmt.Sprintf("rows with one of the two largest keys, which no table takes: %d", k.reserved))
	}
	return list
}

// whole is the cell as a whole number.
func (c cell) whole() (uint64, bool) {
	if c.is == cellNumber {
		return c.number, true
	}
	n, err := strconv.ParseUint(strings.TrimSpace(c.text), 10, 64)
	return n, err == nil && c.is == cellText
}

func (c cell) real() (float64, bool) {
	if c.is == cellNumber {
		return float64(c.number), true
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(c.text), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// String is the cell as a text.
func (c cell) String() string {
	if c.is == cellNumber {
		return strconv.FormatUint(c.number, 10)
	}
	const most = 60
	if len(c.text) > most && c.is != cellText {
		return c.text[:most]
	}
	return c.text
}

// verbs are what traces call operations, and what they are here. What writes a value in
// some way of its own is an upsert, which does the same work.
var verbs = map[string]string{
	"get": "find", "gets": "find", "read": "find", "lookup": "find", "query": "find",
	"set": "upsert", "put": "upsert", "write": "upsert", "add": "upsert", "replace": "upsert", "cas": "upsert",
	"append": "upsert", "prepend": "upsert", "incr": "upsert", "decr": "upsert",
	"delete": "erase", "remove": "erase", "del": "erase",
}

// ops are the operations that a trace can have.
var ops = []string{"insert", "find", "update", "upsert", "erase"}

// op is the operation of a row.
func (r *Reader) op(c cell) (string, error) {
	name := r.opt.Default
	if c.is != cellNone {
		name = strings.ToLower(strings.TrimSpace(c.String()))
	}
	if is, ok := r.opt.Verbs[name]; ok {
		name = is
	} else if is, ok := verbs[name]; ok {
		name = is
	}
	for _, op := range ops {
		if op == name {
			return op, nil
		}
	}
	return "", fmt.Errorf("%w; hint: --verbs %s=find", nearest.Unknown("operation", short(name), ops), short(name))
}

// CheckOp says whether a trace can have an operation.
func CheckOp(name string) error {
	for _, op := range ops {
		if op == name {
			return nil
		}
	}
	return nearest.Unknown("operation", name, ops)
}

func short(text string) string {
	const most = 30
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.Trim(strconv.QuoteToASCII(text), `"`)
}

package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// attachment is a result file inside the page.
type attachment struct {
	Name   string
	Size   int
	SHA256 string
	Text   string // compressed, in letters
}

// letters need no escaping in HTML.
var letters = base64.URLEncoding

// attach packs the files of all sides. A file that is given twice is packed once.
func attach(sides []analysis.Side) (list []attachment) {
	files, seen := filesOf(sides), map[string]bool{}
	for i, name := range short(lists.Map(files, func(f analysis.File) string { return f.Path })) {
		if !seen[name] {
			var packed bytes.Buffer
			z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is right
			_, _ = z.Write(files[i].Text)                              // into memory
			_ = z.Close()
			digest := sha256.Sum256(files[i].Text)
			list = append(list, attachment{name, len(files[i].Text), hex.EncodeToString(digest[:]), letters.EncodeToString(packed.Bytes())})
		}
		seen[name] = true
	}
	return list
}

// short returns the paths without the folders that all have in common.
func short(paths []string) []string {
	parts := lists.Map(paths, func(path string) []string {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		return strings.Split(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	})
	common := len(parts[0]) - 1
	for _, p := range parts {
		n := 0
		for n < min(common, len(p)-1) && p[n] == parts[0][n] {
			n++
		}
		common = n
	}
	return lists.Map(parts, func(p []string) string { return strings.Join(p[common:], "/") })
}

// Extracted is a result file out of a page.
type Extracted struct {
	Name string // local, with slashes
	Text []byte
}

var packed = regexp.MustCompile(`<script type="application/gzip" data-name="([^"]*)" data-sha256="([0-9a-f]*)">([^<]*)</script>`)

// most is the largest result file that is unpacked.
const most = 1 << 30

// Extract returns the result files of a page, byte for byte.
func Extract(page []byte) (list []Extracted, err error) {
	for _, m := range packed.FindAllSubmatch(page, -1) {
		e := Extracted{Name: html.UnescapeString(string(m[1]))}
		if !filepath.IsLocal(filepath.FromSlash(e.Name)) {
			return nil, fmt.Errorf("it names a file outside of the folder: %q", e.Name)
		}
		if e.Text, err = unpack(m[3], string(m[2])); err != nil {
			return nil, fmt.Errorf("%s in it is damaged: %w", e.Name, err)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, errors.New("no results in it: it takes a page of hashzoo report")
	}
	return list, nil
}

func unpack(text []byte, digest string) ([]byte, error) {
	z, err := gzip.NewReader(base64.NewDecoder(letters, bytes.NewReader(text)))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(z, most+1))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(all); hex.EncodeToString(sum[:]) != digest {
		return nil, errors.New("its digest differs")
	}
	return all, nil
}

package zoo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// Tests of every scheme that ships.

// texts returns values of a parameter as a user writes them: all of them, or the ends and the
// default of a range.
func texts(p schemes.Param) []string {
	values := []int64{p.Min, p.Default, p.Max}
	if p.Words != nil || p.Values != nil {
		values = p.All()
	}
	var list []string
	for _, v := range values {
		list = append(list, p.Text(v))
	}
	return list
}

func TestEveryParameterCanBeSet(t *testing.T) {
	for _, s := range schemes.All() {
		if len(s.Variants()) == 0 {
			t.Errorf("scheme %s has no variant", s.Name)
		}
		if err := s.Defaults().Compiled(); err != nil {
			t.Errorf("defaults of %v", err)
		}
		for _, v := range s.Variants() {
			if again, err := schemes.Parse(v.String()); err != nil || again.Variant() != v.Variant() {
				t.Errorf("%s, read again, is %s, %v", v, again.Variant(), err)
			}
			for _, p := range s.Params {
				for _, text := range texts(p) {
					before := v.Settings()[p.Name]
					c, err := v.With(p.Name, text)
					if err != nil || c.Settings()[p.Name] != text || !c.Given(p.Name) {
						t.Errorf("%s with %s=%s: %s, %v", v, p.Name, text, c, err)
					}
					if v.Settings()[p.Name] != before || p.Role != schemes.Variant && v.Given(p.Name) {
						t.Errorf("%s: With(%s, %s) has changed what it was called on", v, p.Name, text)
					}
				}
			}
		}
	}
}

// Every request is either possible or refused in one line that says what is available.
func TestEverySettingIsRefusedOrTaken(t *testing.T) {
	for _, s := range schemes.All() {
		settings := []string{"", ",", "=", "x", "x=", "=x", "bucket", "bucket=", "bucket=-1", "bucket=99999999999999999999"}
		for _, p := range s.Params {
			for _, q := range s.Params {
				for _, text := range texts(p) {
					settings = append(settings, fmt.Sprintf("%s=%s,%s=%s", p.Name, text, q.Name, texts(q)[0]))
				}
			}
			settings = append(settings, p.Name+"=?", p.Name+"="+strings.Repeat("9", 30), p.Name)
		}
		for _, text := range settings {
			c, err := s.Configure(text)
			if err == nil {
				err = c.Compiled()
			} else if strings.Contains(err.Error(), s.Name) && !strings.Contains(err.Error(), "\n") {
				continue
			}
			if err != nil {
				t.Errorf("%s:%s: %v", s.Name, text, err)
			}
		}
	}
}

// Sizing returns a table that can be made, or an error, for every pair and shape.
func TestEveryTableHasASize(t *testing.T) {
	for _, s := range schemes.All() {
		for _, c := range s.Variants() {
			for _, pair := range s.Caps.Pairs {
				if c.CompiledFor(pair) != nil {
					continue
				}
				if err := c.Sound(pair); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

package scheme_test

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
)

// bucketOf returns the slots of a bucket (subtables.h): of whole pairs, or of pairs apart.
func bucketOf(c schemes.Config, p schemes.Pair) uint64 {
	if c.For(p).Settings()["pairs"] == "whole" {
		return 8
	}
	return uint64(128 / p.Key)
}

func TestSizeOfDycuckoo(t *testing.T) {
	s := must.Get(schemes.Find("dycuckoo"))(t)
	for _, pair := range s.Caps.Pairs {
		for n := uint64(1); n < 1<<24; n = n*5/3 + 1 {
			l, err := s.Size(s.Defaults(), schemes.Shape{Pair: pair, Capacity: n})
			must.Hold(t, err == nil && l.Capacity >= n && l.Capacity <= n+n/400+3*2*bucketOf(s.Defaults(), pair),
				"%v: %d slots instead of %d, %v", pair, l.Capacity, n, err)
			bytes := n + 3*(bucketOf(s.Defaults(), pair)*uint64(pair.Bytes())+4)
			if l, err = s.Size(s.Defaults(), schemes.Shape{Pair: pair, Bytes: bytes}); err != nil || uint64(l.Bytes()) > bytes {
				t.Errorf("%v: %d bytes instead of %d, %v", pair, l.Bytes(), bytes, err)
			}
		}
	}
	for settings, works := range map[string]bool{
		"alpha=67":                       true,
		"alpha=68":                       false,
		"alpha=68,subtables=4":           true,
		"alpha=40,beta=53":               false,
		"alpha=75,beta=97,subtables=5":   true,
		"alpha=60,beta=90,subtables=2":   true,
		"alpha=60,beta=89,subtables=2":   false,
		"subtables=2,alpha=0,beta=50":    true,
		"resize=manual,alpha=70,beta=50": false,
		"resize=manual,alpha=40,beta=90": true,
	} {
		c, err := s.Configure(settings)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := s.Size(c, schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}); (err == nil) != works {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

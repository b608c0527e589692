package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

func (m *Manifest) checkParams() error {
	arguments := 0
	for _, p := range m.Params {
		if err := m.checkParam(p); err != nil {
			return err
		}
		if p.Role == "argument" {
			arguments++
		}
		if arguments > kernels.MaxArgs {
			return m.Wrong("param."+p.Name+".role", "is argument, after %d others: there are %d at most", kernels.MaxArgs, kernels.MaxArgs)
		}
	}
	return nil
}

func (m *Manifest) checkParam(p *param) error {
	key := "param." + p.Name + "."
	switch {
	case p.Role == "":
		return m.Wrong(key+"role", "is missing: it takes %s; without a role, there are the parameters %s", strings.Join(roles, ", "), strings.Join(slices.Sorted(maps.Keys(shared())), ", "))
	case !goodWord.MatchString(p.Name):
		return m.Wrong(key+"role", "is of a parameter that is called %q: it takes small letters, digits and _", p.Name)
	case slices.Contains(sizeNames, p.Name):
		return m.Wrong(key+"role", "is of a parameter that is called %s, which has another meaning in expressions of sizes", p.Name)
	case p.Role == "hash_family" && !slices.Equal(p.Choices, shared()["hash"].Choices):
		return m.Wrong(key+"role", "is hash_family: leave it out of [param.hash], which is such a parameter")
	case p.Role != "argument" && p.Auto != nil:
		return m.Wrong(key+"auto", "is of a parameter whose role is %s: only arguments have it", p.Role)
	case p.Type == "":
		return m.Wrong(key+"type", "is missing: it takes integer, choice")
	}
	return m.checkValues(p, key)
}

func (m *Manifest) checkValues(p *param, key string) error {
	integer, variant := p.Type == "integer", p.Role == "variant"
	switch {
	case integer && (p.Values == nil) == (p.Range == nil):
		return m.Wrong(key+"type", "is integer: it needs values or a range")
	case integer && p.Range != nil && (len(p.Range) != 2 || p.Range[0] > p.Range[1]):
		return m.Wrong(key+"range", "is %v: it takes the least and the most", p.Range)
	case p.Role == "hash_count" && (p.Range == nil || p.Range[0] < 1 || p.Range[1] > kernels.MaxHashes):
		return m.Wrong(key+"role", "is hash_count: it takes a range from 1 to %d", kernels.MaxHashes)
	case integer && variant && p.Range != nil:
		return m.Wrong(key+"range", "is of a variant: it takes values, as each is compiled")
	case integer && variant && !goodWord.MatchString(p.Letter):
		return m.Wrong(key+"letter", "is %q: a variant has small letters for its kernels' names", p.Letter)
	case !integer && p.Choices == nil:
		return m.Wrong(key+"choices", "is missing: it takes a list of words")
	case !integer && variant && !goodClass.MatchString(p.Enum):
		return m.Wrong(key+"enum", "is %q: a variant has an enum of namespace hz with its words", p.Enum)
	}
	made := p.declared()
	if v, err := made.Parse(fmt.Sprint(p.Default)); err != nil || v != made.Default {
		return m.Wrong(key+"default", "is %v: it takes %s", p.Default, made.Allowed())
	}
	return nil
}

// declared returns the parameter for the registry.
func (p *param) declared() schemes.Param {
	made := schemes.Param{
		Name: p.Name, Help: p.Help, Role: schemes.Role(slices.Index(roles, p.Role)), Letter: p.Letter,
		Values: p.Values, Words: p.Choices,
	}
	if p.Range != nil {
		made.Min, made.Max = p.Range[0], p.Range[1]
	}
	switch usual := p.Default.(type) {
	case int64:
		made.Default = usual
	case string:
		made.Default = int64(slices.Index(p.Choices, usual))
	}
	if p.Auto != nil {
		made.Auto = func(l schemes.Layout) int64 {
			v, _ := p.Auto.Number(values{}.with(l)) // Prove has evaluated it
			return int64(max(0, min(v, 1<<53)))
		}
	}
	return made
}

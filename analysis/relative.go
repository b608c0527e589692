package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// relate divides values by those of the scheme that the plot is relative to. Without that scheme they stay as they are,
// unless the user asked for it.
func (d *draft) relate() error {
	if len(d.Relative) == 0 {
		return nil
	}
	shared := slices.DeleteFunc(slices.Concat(d.facets(), d.Group, []string{d.X}), func(name string) bool { return d.Relative[name] != "" })
	bases, err := d.bases(shared)
	if err != nil {
		return err
	}
	if d.base == nil {
		if d.chosen.Relative != nil {
			known := lists.Unique(lists.Map(d.data, func(one datum) string { return one.scheme }))
			return nearest.Unknown("scheme to divide by", d.baseName(), known)
		}
		d.lacking = fmt.Sprintf("not as ratios, and without published rates: the results lack %s to divide by", d.baseName())
		d.Relative = nil // values stay as they are
		return nil
	}
	all := len(d.data)
	var list []datum
	for _, one := range d.data {
		if base, ok := bases[names(one, shared)]; ok && base.y > 0 {
			list = append(list, one.over(base))
		}
	}
	if d.data = list; len(list) < all {
		d.lacking = fmt.Sprintf("left out: %d of %d marks, where %s has no value to divide by", all-len(list), all, d.baseName())
	}
	return nil
}

// bases are the values that others are divided by, by the fields that both share. Of several schemes the one that is
// called exactly so is meant.
func (d *draft) bases(shared []string) (map[string]datum, error) {
	found, wanted := map[string]datum{}, d.Relative["scheme"]
	rivals := map[string]string{}
	for _, one := range d.data {
		if !one.has(d.Relative) {
			continue
		}
		key := names(one, shared)
		other, known := found[key]
		if known && other.scheme != one.scheme {
			rivals[key] = one.scheme
		}
		if !known || one.scheme == wanted {
			found[key], d.base = one, &one
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rivals)) {
		if one := found[key].scheme; one != wanted {
			return nil, fmt.Errorf("relative to %s: the results have %s and %s: choose one, as in --relative %s", wanted, one, rivals[key], one)
		}
	}
	return found, nil
}

// baseName writes what values are relative to: the scheme, then other fields.
func (d *draft) baseName() string {
	names := slices.Sorted(maps.Keys(d.Relative))
	values := lists.Map(lists.Unique(append([]string{"scheme"}, names...)), func(name string) string { return d.Relative[name] })
	return strings.Join(slices.DeleteFunc(values, func(s string) bool { return s == "" }), ", ")
}

// relativeLabel says in a label of the y axis that it shows ratios, which have no unit.
func (d *draft) relativeLabel(label string) string {
	if d.base == nil {
		return label
	}
	if before, _, ok := strings.Cut(label, " ("); ok {
		label = before
	}
	return label + " relative to " + d.baseName()
}

// over divides a value by that of another scheme. The interval is wide enough for two that were measured apart.
func (d datum) over(base datum) datum {
	if base.mark != "" && d.mark == "" {
		d.mark = base.scheme + ": " + base.mark
	}
	if d.scheme == base.scheme && d.y == base.y {
		d.noise = nil
	} else if d.noise != nil || base.noise != nil {
		both := math.Hypot(orZero(d.noise), orZero(base.noise))
		d.noise = &both
	}
	d.y /= base.y
	return d
}

func orZero(x *float64) float64 { return *cmp.Or(x, new(float64)) }

// has reports whether fields have these values.
func (d datum) has(fields map[string]string) bool {
	for name, text := range fields {
		if !d.agrees(name, text) {
			return false
		}
	}
	return true
}

// agrees reports whether a field, or an option of the script, has a value.
func (d datum) agrees(name, text string) bool {
	if name == "scheme" {
		return d.isScheme(text)
	}
	if v := d.field(name); v != nil {
		return equal(v, text)
	}
	option, known := d.options[name]
	return known && equal(parsed(option), text)
}

// isScheme reports whether it is a scheme with the parameters that the text names. The others may have any value.
func (d datum) isScheme(text string) bool {
	name, settings, _ := strings.Cut(text, ":")
	if own, _, _ := strings.Cut(d.scheme, ":"); own != name {
		return false
	}
	for setting := range strings.SplitSeq(settings, ",") {
		if key, value, ok := strings.Cut(setting, "="); ok && d.parameters[key] != value {
			return false
		}
	}
	return true
}

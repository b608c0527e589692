package tui

import "strings"

// drawHelp draws the keys of a screen over what is there, in as many columns as they need.
func drawHelp(a area, bindings []Binding, s screen) {
	var lines [][2]string
	keys, words := 0, 0
	for i := range bindings {
		if b := &bindings[i]; b.on.has(s) && len(b.Keys) > 0 {
			lines = append(lines, [2]string{keyText(b), b.Help})
			keys, words = max(keys, a.c.width(keyText(b))), max(words, a.c.width(b.Help))
		}
	}
	columns := min((len(lines)+a.h-2)/max(a.h-1, 1), max(a.w/30, 1))
	a = a.marked(0)
	a.text(1, 0, bold|accent, "keys of this screen; any of them goes back")
	perColumn := (len(lines) + columns - 1) / columns
	w := a.w / columns
	for i, line := range lines {
		if i%perColumn >= a.h-1 {
			continue
		}
		column := a.part(i/perColumn*w, 1+i%perColumn, w-1, 1)
		column.text(1, 0, bold, line[0])
		column.text(keys+3, 0, normal, a.c.fit(line[1], column.w-keys-3))
	}
}

// keyName is a key as the line of keys shows it.
func keyName(key string) string {
	return strings.NewReplacer("left", "←", "right", "→", "enter", "enter").Replace(key)
}

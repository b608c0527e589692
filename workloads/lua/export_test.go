package lua

import "slices"

// Entries returns the names that the reference must explain.
func Entries() []string {
	names := append(slices.Clone(ownNames), functions...)
	names = append(names, "gen.from", "gen.file", "v:distinct", "print", "require", "math.random")
	for _, kind := range generators() {
		names = append(names, "gen."+kind.Name)
	}
	for _, method := range methods {
		names = append(names, "v:"+method)
	}
	for method := range (&host{}).tableMethods() {
		names = append(names, "t:"+method)
	}
	return names
}

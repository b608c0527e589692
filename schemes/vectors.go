package schemes

import "embed"

//go:embed testdata/*.txt
var vectorFiles embed.FS

// Vectors shows what the scheme does to the slots of tiny tables, operation by operation
// (docs/checking.md); empty if there are none.
func (s *Scheme) Vectors() string {
	if s.Plugin != nil {
		return s.Shown
	}
	text, err := vectorFiles.ReadFile("testdata/" + s.Name + ".txt")
	if err != nil {
		return "" // a test sees to it that there are
	}
	return string(text)
}

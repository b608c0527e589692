package lua

import (
	"regexp"

	glua "github.com/yuin/gopher-lua"
)

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// toLua is the inverse of sandbox.Scalar.
func toLua(value any) glua.LValue {
	switch v := value.(type) {
	case float64:
		return glua.LNumber(v)
	case string:
		return glua.LString(v)
	case bool:
		return glua.LBool(v)
	}
	return glua.LNil
}

package sandbox

import (
	"math"

	glua "github.com/yuin/gopher-lua"
)

// Named is a value of Go that says what it is, in errors.
type Named interface{ What() string }

// Userdata makes a Lua value of a value of Go.
func (box *Box) Userdata(value any, meta *glua.LTable) *glua.LUserData {
	ud := box.L.NewUserData()
	ud.Value, ud.Metatable = value, meta
	return ud
}

// Whole is a number that is whole for certain: Lua's are doubles.
func Whole(v glua.LValue) (uint64, bool) {
	x, ok := v.(glua.LNumber)
	return uint64(x), ok && x >= 0 && x <= 1<<53 && float64(x) == math.Trunc(float64(x))
}

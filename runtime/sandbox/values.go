package sandbox

import (
	"math"

	glua "github.com/yuin/gopher-lua"
)

// Named is a Go value that describes itself in errors.
type Named interface{ What() string }

// Userdata wraps a Go value as a Lua value.
func (box *Box) Userdata(value any, meta *glua.LTable) *glua.LUserData {
	ud := box.L.NewUserData()
	ud.Value, ud.Metatable = value, meta
	return ud
}

// Whole returns a value as a whole number from 0 to 2^53, up to which doubles are exact.
func Whole(v glua.LValue) (uint64, bool) {
	x, ok := v.(glua.LNumber)
	return uint64(x), ok && x >= 0 && x <= 1<<53 && float64(x) == math.Trunc(float64(x))
}

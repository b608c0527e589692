package papers

import (
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// ofList is a function of a list of numbers, for Lua.
func ofList(f func([]float64) glua.LValue) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		values, err := sandbox.List("the list", L.Get(1))
		if err != nil {
			return 0, err
		}
		var list []float64
		for _, v := range values {
			x, ok := v.(glua.LNumber)
			if !ok {
				return 0, sandbox.WrongValue("the list", v, "numbers")
			}
			list = append(list, float64(x))
		}
		if len(list) == 0 {
			return 0, sandbox.WrongValue("the list", L.Get(1), "one or more numbers")
		}
		return sandbox.Return(L, f(list))
	}
}

func least(list []float64) glua.LValue { return glua.LNumber(slices.Min(list)) }
func most(list []float64) glua.LValue  { return glua.LNumber(slices.Max(list)) }
func rises(list []float64) glua.LValue { return glua.LBool(slices.IsSorted(list)) }

func falls(list []float64) glua.LValue {
	return glua.LBool(slices.IsSortedFunc(list, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	}))
}

func mean(list []float64) glua.LValue {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return glua.LNumber(sum / float64(len(list)))
}

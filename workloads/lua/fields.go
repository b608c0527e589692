package lua

import (
	"math"
	"regexp"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// scalar converts a value of options, axes and summaries; numbers are finite, texts have no control characters.
func scalar(v glua.LValue) (any, bool) {
	switch v := v.(type) {
	case glua.LNumber:
		return float64(v), !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case glua.LString:
		return string(v), !strings.ContainsFunc(string(v), unicode.IsControl)
	case glua.LBool:
		return bool(v), true
	}
	return nil, false
}

// text returns a scalar as text.
func text(path string, v glua.LValue) (string, error) {
	value, ok := scalar(v)
	if !ok {
		return "", sandbox.WrongValue(path, v, "a number or a text")
	}
	return run.Text(value), nil
}

// toLua is the inverse of scalar.
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

package cli

import "testing"

func TestValuesText(t *testing.T) {
	var values []any
	for i := range 30 {
		values = append(values, float64(i))
	}
	if got := valuesText(values[:3]); got != "0, 1, 2" {
		t.Error(got)
	}
	if got := valuesText(values); got != "0, 1, 2, 3, 4, ..., 27, 28, 29" {
		t.Error(got)
	}
}

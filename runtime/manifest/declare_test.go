package manifest

import "testing"

func TestRetoldVectorsKeepTheirLines(t *testing.T) {
	const text = "# About.\ntable old:bucket=4 pair=k4v4\ninsert 1=2\ntable old:bucket=8 pair=k4v4\ninsert 3=4\n"
	got := retell(text, "new", func(settings, pair string) bool { return settings == "bucket=8" && pair == "k4v4" })
	if want := "# About.\n\n\ntable new:bucket=8 pair=k4v4\ninsert 3=4\n"; got != want {
		t.Errorf("%q instead of %q", got, want)
	}
	if got := retell(text, "new", func(string, string) bool { return false }); got != "" {
		t.Errorf("vectors without a table: %q", got)
	}
}

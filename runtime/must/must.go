// Package must ends tests whose preparations fail.
package must

// test is a testing.TB, or a test of package rapid.
type test interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test at the first of its errors that is not nil.
func OK(t test, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

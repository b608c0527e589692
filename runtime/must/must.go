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

// Get returns what a function gave, as in must.Get(os.ReadFile(path))(t), or ends the test.
func Get[T any](v T, err error) func(test) T {
	return func(t test) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

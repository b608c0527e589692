// Package must ends tests whose preparations fail, and fails those that do not have what they want.
package must

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Test is a testing.TB, or a test of package rapid.
type Test interface {
	Helper()
	Fatal(args ...any)
	Error(args ...any)
}

// OK ends the test at the first of its errors that is not nil.
func OK(t Test, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Get returns what a function gave, as in must.Get(os.ReadFile(path))(t), or ends the test.
func Get[T any](v T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Match fails the test, which goes on, unless it has what it wants; of is what it is of.
func Match[T any](t Test, have, want T, of ...any) {
	t.Helper()
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(append(of, diff)...)
	}
}

// Update is set to write the files that tests compare with.
var Update = flag.Bool("update", false, "write the files that tests compare with")

// Golden fails the test, which goes on, unless a file has the text. With -update, it writes the file.
func Golden(t Test, path, have string) {
	t.Helper()
	if *Update {
		OK(t, os.WriteFile(path, []byte(have), 0o644))
	}
	Match(t, have, string(Get(os.ReadFile(path))(t)), path, "is another one; -update writes it anew")
}

// Hold fails the test, which goes on, with a message, unless a condition holds.
func Hold(t Test, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Error(fmt.Sprintf(format, args...))
	}
}

// Need ends the test, with a message, unless a condition holds.
func Need(t Test, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatal(fmt.Sprintf(format, args...))
	}
}

// Has fails the test, which goes on, unless a text has the parts.
func Has(t Test, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		Hold(t, strings.Contains(text, part), "there is no %q in\n%s", part, text)
	}
}

// Err returns the error that a function gave beside a value.
func Err[T any](_ T, err error) error { return err }

// Say fails the test, which goes on, unless the error has the text, or there is none if the text is empty; of names what
// was tried.
func Say(t Test, err error, want string, of ...any) {
	t.Helper()
	say(t, err, want, of, strings.Contains)
}

// Begin fails the test unless the error begins with the text.
func Begin(t Test, err error, want string, of ...any) {
	t.Helper()
	say(t, err, want, of, strings.HasPrefix)
}

// Equal fails the test unless the error is the text.
func Equal(t Test, err error, want string, of ...any) {
	t.Helper()
	say(t, err, want, of, func(text, want string) bool { return text == want })
}

func say(t Test, err error, want string, of []any, does func(text, want string) bool) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !does(err.Error(), want) {
		t.Error(append(of, fmt.Sprintf("%v\nwant %s", err, want))...)
	}
}

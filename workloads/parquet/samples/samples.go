// Package samples says what is in the Parquet files of other programs (../testdata), for the tests that read them.
package samples

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Files reads those in a folder, by their names.
func Files(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Cells are those of a column, by row: an int, a uint64, a float64, a string, or nil. Decimals are in hundredths.
var Cells = map[string]func(i int) any{
	"id":    func(i int) any { return i*i - 50 },
	"small": func(i int) any { return i%5 - 2 },
	"large": func(i int) any { return 1<<63 + uint64(i) },
	"flag":  func(i int) any { return max(0, 1-i%3) },
	"name":  func(i int) any { return fmt.Sprint("user", i%7) },
	"text":  func(i int) any { return fmt.Sprint("text number ", i) },
	"maybe": func(i int) any {
		if i%4 == 0 {
			return nil
		}
		return i
	},
	"nothing": func(int) any { return nil },
	"real":    func(i int) any { return float64(i) * 0.5 },
	"day":     func(i int) any { return i },
	"in.x":    func(i int) any { return i },
	"at":      func(i int) any { return i * 1_000_000 },
	"four":    func(i int) any { return fmt.Sprintf("%04d", i) },
	"price":   func(i int) any { return i*25 - 300 },
	"wide":    func(i int) any { return i*25 - 300 },
}

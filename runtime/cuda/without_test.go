//go:build !cuda

package cuda

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
)

func TestWithoutTheTag(t *testing.T) {
	_, listed := Backend().List()
	_, opened := Backend().Open(0, device.Options{})
	for _, err := range []error{listed, opened} {
		if err == nil || !strings.Contains(err.Error(), "built without the cuda backend") {
			t.Errorf("%v, want an error that says what was left out", err)
		}
	}
}

//go:build !cuda

package cuda

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestWithoutTheTag(t *testing.T) {
	_, listed := Backend().List()
	_, opened := Backend().Open(0, device.Options{})
	for _, err := range []error{listed, opened} {
		must.Say(t, err, "built without the cuda backend")
	}
}

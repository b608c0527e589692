//go:build !cuda

package cuda

import (
	"errors"

	"github.com/hashzoo/hashzoo/runtime/device"
)

var errWithout = errors.New("built without the cuda backend: install clang-19 and cuda.h, then run make")

// Backend returns a backend that only reports what this build lacks.
func Backend() device.Backend { return without{} }

type without struct{}

func (without) Kind() string                                    { return "cuda" }
func (without) List() ([]device.Info, error)                    { return nil, errWithout }
func (without) Open(int, device.Options) (device.Device, error) { return nil, errWithout }

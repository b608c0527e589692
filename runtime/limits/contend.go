package limits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Contention is how often words of memory can be changed where several accesses share each.
type Contention struct {
	Device    string    `json:"device"`
	Access    string    `json:"access"`    // swap, compare (and swap), write; ordered: a write of each word, side by side
	Conflicts int       `json:"conflicts"` // accesses that share a word; they are neighbors
	Rates     []float64 `json:"rates"`     // accesses a second, of each run
}

// Rate returns the median.
func (c Contention) Rate() float64 { return Limit{Rates: c.Rates}.Rate() }

// Accesses share a word with 1, 4, 16, ... others: exponents of two, and the largest.
const eachConflicts, mostConflicts = 2, 20

const contending, ordered = "hz_contend_", "hz_ordered_write"

// Contend accesses an array of so many bytes, alone and with ever more accesses to the same words.
func Contend(dev device.Device, bytes int64) (list []Contention, err error) {
	if err := single(dev); err != nil {
		return nil, err
	}
	at, err := dev.Alloc(bytes)
	if err != nil {
		return nil, fmt.Errorf("limits of device %s: %d bytes: %w", dev.Info().Name, bytes, err)
	}
	defer dev.Release(at)
	for _, kernel := range append(names(contending), ordered) {
		for shared := 0; shared <= mostConflicts && (kernel != ordered || shared == 0); shared += eachConflicts {
			if err := dev.Set(at, 0, bytes); err != nil {
				return nil, err
			}
			a := access{kernel: kernel, name: strings.TrimPrefix(kernel, contending), bytes: 8, once: kernel == ordered, sharing: uint64(shared)}
			if a.once {
				a.name = "ordered"
			}
			rates, err := a.measure(dev, at, bytes)
			if err != nil {
				return nil, err
			}
			list = append(list, Contention{dev.Info().Name, a.name, 1 << shared, rates})
		}
	}
	return list, nil
}

// names lists the kernels whose names begin with a prefix.
func names(prefix string) (list []string) {
	for _, kernel := range kernels.HostNames() {
		if strings.HasPrefix(kernel, prefix) {
			list = append(list, kernel)
		}
	}
	slices.Sort(list)
	return list
}

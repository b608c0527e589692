package results

import "fmt"

// MarkIncomparable looks at rows that are meant to be compared: the same operation
// at the same point, of different schemes. If their inputs were not the same, each
// of them says so.
func MarkIncomparable(rows []Row) {
	for _, r := range rows {
		if r.Input == rows[0].Input {
			continue
		}
		for i := range rows {
			rows[i].Compare = fmt.Sprintf("the inputs differ: digest %.8s of %s, %.8s of %s", rows[0].Input, rows[0].Scheme, r.Input, r.Scheme)
		}
		return
	}
}

package results

import "fmt"

// MarkIncomparable checks rows that are meant to be compared: one operation at one point
// on different schemes. If their inputs differ, every row says so.
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

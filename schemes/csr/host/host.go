// Package host is the host side of the scheme csr (csr.h).
package host

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{
	Rows: rows, Gauges: gauges,
	Host: map[string]schemes.HostOp{"insert": insert, "retrieve": retrieve},
}

var (
	header    = schemes.ReadConstants(schemes.Folders, "csr/csr.h")
	parts     = schemes.ReadConstants(schemes.Folders, "csr/parts.h")
	copies    = schemes.ReadConstants(schemes.Folders, "csr/copy.h")
	directory = header.Of("kDirectory")
	values    = header.Of("kValues")
	perBucket = header.Of("kBucket")
	mostParts = parts.Of("kParts")
	pieceRows = parts.Of("kPieceRows")
	sampled   = parts.Of("kSample")
	marked    = int64(parts.Of("kMarks"))
	pieceSize = copies.Of("kPiece")
)

// insert builds the table from its pairs and those of a batch. All memory is taken before anything changes.
func insert(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	if b.N == 0 {
		return host.Nothing(b), nil
	}
	u, err := prepare(t, b)
	if err != nil {
		return schemes.Result{}, err
	}
	return u.build()
}

// build is a table under construction.
type build struct {
	schemes.Table
	parts   []schemes.Batch // the table's own pairs, if it has any, and those that come
	order   *order          // of those that come, if they are put in one
	sums    uint64          // memory for Places
	asked   uint64          // inserts that are not rejected
	left    uint64          // pairs handed back so far
	work    schemes.Counts
	outcome schemes.Result // of the count of the batch
}

func prepare(t schemes.Table, b schemes.Batch) (*build, error) {
	u := &build{Table: t, parts: []schemes.Batch{b}, work: schemes.NewCounts()}
	room := b.N
	if t.Size() > 0 {
		own, err := t.TakeOut(host.Nothing(b))
		if err != nil {
			return nil, err
		}
		u.parts, room = []schemes.Batch{own, b}, b.N+own.N
	}
	left := &u.parts[len(u.parts)-1].Block
	if room > b.N {
		if err := host.MakeRoom(t, left, room); err != nil {
			return nil, err
		}
	}
	for i := range u.parts {
		notes, err := t.Scratch(int64(8*u.parts[i].N), 0xff)
		if err != nil {
			return nil, err
		}
		part := &u.parts[i].Block
		part.FoundAt, part.PairKeys, part.PairValues, part.PairLimit = uint64(notes), left.PairKeys, left.PairValues, left.PairLimit
		part.FoundOf = 0
	}
	var err error
	if u.sums, err = host.Sums(t, u.items()); err != nil {
		return nil, err
	}
	u.order, err = ordered(t, u.parts[len(u.parts)-1])
	return u, err
}

// items are the slots of the directory, and one for the end of the last.
func (u *build) items() uint64 { return u.Block().Buckets*perBucket + 1 }

func (u *build) build() (schemes.Result, error) {
	if len(u.parts) > 1 {
		if err := host.Empty(u); err != nil {
			return schemes.Result{}, err
		}
	}
	rows, err := u.rows()
	if err != nil {
		return schemes.Result{}, err
	}
	for i, part := range rows {
		done, err := u.launch("insert", part)
		if err != nil {
			return done, err
		}
		if u.outcome = done; i == len(rows)-1 {
			u.asked = done.Counts.Get("ok") + done.Counts.Get("failed")
		}
	}
	at, width := u.Block().Region[directory]+uint64(u.Pair().Key), uint64(u.Pair().Value)
	if _, err := host.Places(u, kernels.Scan{Items: u.items(), Number: at, Width: width, Stride: 2 * width,
		Place: at, PlaceWidth: width, PlaceStride: 2 * width, Sum: u.sums}); err != nil {
		return schemes.Result{}, err
	}
	for _, part := range rows {
		part.Op, part.Block.Status = "scatter", 0
		if done, err := u.launch("scatter", part); err != nil {
			return done, err
		}
	}
	return u.settled()
}

// rows are the parts of the build in the order in which their rows are counted and scattered.
func (u *build) rows() ([]schemes.Batch, error) {
	if u.order == nil {
		return u.parts, nil
	}
	last := len(u.parts) - 1
	return append(u.parts[:last:last], u.order.moved), u.order.move(u)
}

// launch runs a kernel on a part. What it hands back goes behind what was handed back before.
func (u *build) launch(kernel string, part schemes.Batch) (schemes.Result, error) {
	part.Op = kernel
	host.LeaveAfter(&part.Block, u.Pair(), u.left)
	done, err := u.Launch(part)
	if err == nil {
		u.left += done.Counts.Get("pairs")
		u.work.Add(done.Counts)
	}
	return done, err
}

func (u *build) settled() (schemes.Result, error) {
	rejected := u.outcome.Counts.Get("rejected")
	for _, outcome := range kernels.Outcomes[1:] {
		u.work.Set(outcome, 0)
	}
	u.work.Set("rejected", rejected)
	u.work.SetInserts(u.asked, u.left)
	done := schemes.Result{Counts: u.work, Batch: u.parts[len(u.parts)-1]}
	done.Batch.Block.FoundAt = 0
	if len(u.parts) > 1 {
		u.Note(fmt.Sprintf("built anew from %d pairs in the table and %d that came", u.parts[0].N, u.asked))
	} else if u.asked == u.left { // sums are no marks of empty slots
		return done, host.Empty(u)
	}
	return done, nil
}

// retrieve finds out how many values each key has, and copies them.
func retrieve(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	look := b
	look.Op = "find_all"
	look.Block.FoundOf, look.Block.FoundValues, look.Block.FoundLimit = 0, 0, 0
	begins, err := t.ScratchUnset(int64(4 * b.N))
	if err != nil {
		return schemes.Result{}, err
	}
	look.Block.Values = uint64(begins)
	return host.Retrieve(t, look, func(found schemes.Result) (schemes.Result, error) {
		pieces := (found.Batch.Block.FoundLimit + pieceSize - 1) / pieceSize
		if pieces == 0 {
			return host.Nothing(b), nil
		}
		found.Batch.Op, found.Batch.Block.PairLimit, found.Batch.N = "copy", b.N, pieces*kernels.Warp
		return t.Launch(found.Batch)
	})
}

var gauges = []schemes.Gauge{
	{Name: "directory fill", Help: "buckets of the directory by the number of keys they hold", Unit: "buckets",
		Read: ofDirectory(func(bins []uint64, _ schemes.Table) []schemes.Bar { return host.FillBars(bins, perBucket) })},
	{Name: "keys", Help: "slots of the directory with a key, and unused", Unit: "slots",
		Read: ofDirectory(func(bins []uint64, t schemes.Table) []schemes.Bar {
			return host.UseBars(bins[host.PairsBin], 0, t.Block().Buckets*perBucket)
		})},
	{Name: "pairs of a key", Help: "pairs in the table for each key", Unit: "pairs", Mean: true,
		Read: ofDirectory(func(bins []uint64, t schemes.Table) []schemes.Bar {
			mean := float64(t.Size()) / float64(max(1, bins[host.PairsBin]))
			return []schemes.Bar{{Value: mean}}
		})},
}

// ofDirectory makes the reader of a gauge that counts the keys in the directory.
func ofDirectory(bars func([]uint64, schemes.Table) []schemes.Bar) func(schemes.Table) ([]schemes.Bar, error) {
	return func(t schemes.Table) ([]schemes.Bar, error) {
		b, pair := t.Block(), t.Pair()
		bins, err := host.LookAtSlots(t, kernels.Look{At: b.Region[directory], Slots: b.Buckets * perBucket,
			Stride: uint64(pair.Bytes()), Key: uint64(pair.Key), Bucket: perBucket})
		if err != nil {
			return nil, err
		}
		return bars(bins, t), nil
	}
}

// rows are the buckets of the directory with the first place of each key, then the values.
func rows(t schemes.Table) ([]schemes.Row, error) {
	b, pair := t.Block(), t.Pair()
	all, err := host.Read[byte](t, b.Region[directory], b.Buckets*perBucket*uint64(pair.Bytes()))
	if err != nil {
		return nil, err
	}
	var list []schemes.Row
	for at, raw := b.Region[directory], all; len(raw) > 0; raw = raw[pair.Bytes():] {
		if len(list) == 0 || uint64(len(list[len(list)-1].Cells)) == perBucket {
			bucket := schemes.Span{At: device.Addr(at), Bytes: perBucket * uint64(pair.Bytes())}
			list = append(list, schemes.Row{At: []schemes.Span{bucket}})
		}
		row := &list[len(list)-1]
		text := pair.SlotText(host.Number(raw[:pair.Key]), host.Number(raw[pair.Key:pair.Bytes()]))
		row.Cells = append(row.Cells, schemes.Cell{Text: text, At: []schemes.Span{{At: device.Addr(at), Bytes: uint64(pair.Bytes())}}})
		at += uint64(pair.Bytes())
	}
	own, err := valuesOf(t, b.Region[values])
	return append(list, own), err
}

func valuesOf(t schemes.Table, at uint64) (schemes.Row, error) {
	width, n := uint64(t.Pair().Value), t.Size()
	row := schemes.Row{Name: "values", Cell: "place", At: []schemes.Span{{At: device.Addr(at), Bytes: width * t.Layout().Capacity}}}
	raw, err := host.Read[byte](t, at, n*width)
	for i := range n {
		place := schemes.Span{At: device.Addr(at + i*width), Bytes: width}
		row.Cells = append(row.Cells, schemes.Cell{Text: fmt.Sprint(host.Number(raw[i*width : (i+1)*width])), At: []schemes.Span{place}})
	}
	return row, err
}

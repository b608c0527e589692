package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// exporter writes the operations of batches as rows of a table.
type exporter interface {
	batch(b *Batch, c engine.Columns) error
	close() error
}

var exporters = map[string]func(io.Writer) (exporter, error){"csv": newCSVExporter, "parquet": newParquetExporter}

// ExportFormats names the formats of exports.
var ExportFormats = []string{"arrow", "csv", "parquet"}

// Export writes all operations as rows of a table: batch, op, key, value. As arrow, it
// writes a materialised recording.
func (r *Recording) Export(dev device.Device, path, format string) error {
	if !slices.Contains(ExportFormats, format) {
		return nearest.Unknown("format", format, ExportFormats)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if format == "arrow" {
		return r.exportArrow(dev, file)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	to, err := exporters[format](out)
	if err == nil {
		err = r.inputs(dev, func(b *Batch, in *engine.Input) error {
			c, err := in.Columns()
			if err != nil {
				return err
			}
			return to.batch(b, c)
		})
		err = errors.Join(err, to.close())
	}
	return errors.Join(err, out.Flush(), file.Close())
}

func (r *Recording) exportArrow(dev device.Device, file *os.File) error {
	header := r.Header
	header.Format, header.Kind = format, Materialised
	w, err := newWriter(file, header)
	if err == nil {
		err = r.copy(w, dev)
	}
	if why := cmp.Or(r.Stopped, r.Cut); err == nil && why != "" {
		err = w.add(stoppedLine(why), nil)
	}
	if err != nil {
		return errors.Join(err, w.sink.close())
	}
	return w.finish()
}

// names are the operations of a batch.
func (b *Batch) names(c engine.Columns) ([]string, error) {
	names := slices.Repeat([]string{b.Op}, int(c.N))
	for i, op := range c.Ops {
		if int(op) >= len(kernels.Ops) {
			return nil, fmt.Errorf("operation %d has the number %d, which none has", i, op)
		}
		names[i] = kernels.Ops[op]
	}
	return names, nil
}

// csvExporter writes a line for each operation.
type csvExporter struct{ out io.Writer }

func newCSVExporter(out io.Writer) (exporter, error) {
	_, err := io.WriteString(out, "batch,op,key,value\n")
	return csvExporter{out}, err
}

func (e csvExporter) batch(b *Batch, c engine.Columns) error {
	names, err := b.names(c)
	var line []byte
	for i, name := range names {
		line = append(strconv.AppendUint(line[:0], b.Number, 10), ',')
		line = append(append(line, name...), ',')
		line = append(strconv.AppendUint(line, engine.Number(c.Keys, c.KeyWidth, i), 10), ',')
		if c.Values != nil {
			line = strconv.AppendUint(line, engine.Number(c.Values, c.ValueWidth, i), 10)
		}
		if _, err := e.out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return err
}

func (csvExporter) close() error { return nil }

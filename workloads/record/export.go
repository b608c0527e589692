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

// exporter writes the operations of batches as a table.
type exporter interface {
	batch(b *Batch, c engine.Columns) error
	close() error
}

var exporters = map[string]func(io.Writer) (exporter, error){"csv": newCSVExporter, "parquet": newParquetExporter}

// ExportFormats names what recordings can be exported as.
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
	header.Kind = Materialised
	w := newWriter(newArrowSink(file))
	for _, text := range header.lines() {
		if err := w.add(text, 0, "", nil); err != nil {
			return errors.Join(err, w.close())
		}
	}
	err := r.copy(w, dev)
	if why := cmp.Or(r.Stopped, r.Cut); err == nil && why != "" {
		err = w.add(stoppedLine(why), 0, "", nil)
	}
	if err != nil {
		return errors.Join(err, w.close())
	}
	return w.end()
}

// name is the operation at an index.
func (b *Batch) name(c engine.Columns, i int) (string, error) {
	switch {
	case c.Ops == nil:
		return b.Op, nil
	case int(c.Ops[i]) < len(kernels.Ops):
		return kernels.Ops[c.Ops[i]], nil
	}
	return "", fmt.Errorf("%v: operation %d has the number %d, which none has", b, i, c.Ops[i])
}

// csvExporter writes a line for each operation.
type csvExporter struct {
	out  io.Writer
	line []byte
}

func newCSVExporter(out io.Writer) (exporter, error) {
	_, err := io.WriteString(out, "batch,op,key,value\n")
	return &csvExporter{out: out}, err
}

func (e *csvExporter) batch(b *Batch, c engine.Columns) error {
	for i := range int(c.N) {
		op, err := b.name(c, i)
		if err != nil {
			return err
		}
		e.line = strconv.AppendUint(e.line[:0], b.Number, 10)
		e.line = append(append(append(e.line, ','), op...), ',')
		e.line = append(strconv.AppendUint(e.line, engine.Number(c.Keys, c.KeyWidth, i), 10), ',')
		if c.Values != nil {
			e.line = strconv.AppendUint(e.line, engine.Number(c.Values, c.ValueWidth, i), 10)
		}
		if _, err := e.out.Write(append(e.line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (e *csvExporter) close() error { return nil }

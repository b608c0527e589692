package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/analysis"
	reports "github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

type reportFlags struct {
	out, extract string
	o            reports.Options
}

func newReportCommand(env *Env) *cobra.Command {
	var r reportFlags
	command := &cobra.Command{
		Use:  "report",
		Args: func(_ *cobra.Command, args []string) error { return r.check(args) },
		RunE: func(_ *cobra.Command, args []string) error {
			if r.extract != "" {
				return env.extract(r.extract, args[0])
			}
			return env.report(args, r)
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVarP(&r.out, "output", "o", "", "the `file` to write, such as report.html")
	f.StringVar(&r.o.Title, "title", "", "the `text` at the top")
	comparing(f, &r.o.Compare)
	f.StringVar(&r.extract, "extract", "", "write the results in this `page` to the folder that is given instead of RESULTS")
	_ = command.MarkFlagFilename("output", "html")
	_ = command.MarkFlagFilename("extract", "html")
	return command
}

func (r reportFlags) check(args []string) (err error) {
	switch {
	case r.extract != "" && len(args) != 1:
		err = fmt.Errorf("report --extract takes one folder: hashzoo report --extract %s results", r.extract)
	case r.extract != "" && r.out != "":
		err = errors.New("--extract and --output exclude each other: the folder says where to write")
	case r.extract == "" && len(args) == 0:
		err = errors.New("report: RESULTS is missing")
	case r.extract == "" && r.out == "":
		err = errors.New("report needs -o FILE, such as report.html")
	}
	if err != nil {
		return misused(err)
	}
	return nil
}

func (env *Env) report(args []string, r reportFlags) error {
	sides, err := sidesOf(args, analysis.ReadParts)
	if err != nil {
		return err
	}
	for _, side := range sides {
		for _, f := range side.Files {
			if regular.Same(f.Path, r.out) {
				return misused(fmt.Errorf("-o %s is one of the results: choose another name", r.out))
			}
		}
	}
	r.o.Name = filepath.Base(r.out)
	if err := regular.Write(r.out, func(out *regular.Output) error { return reports.Write(out, sides, r.o) }); err != nil {
		return err
	}
	return env.lines("report: " + r.out)
}

// mostPage is the largest page that is read.
const mostPage = 1 << 30

// extract writes the results in a page. A file that exists already stays.
func (env *Env) extract(page, folder string) error {
	text, err := regular.Read(page, mostPage)
	if err != nil {
		return usage(err)
	}
	files, err := reports.Extract(text)
	if err != nil {
		return usage(fmt.Errorf("%s: %w", page, err))
	}
	for i, f := range files {
		files[i].Name = filepath.Join(folder, filepath.FromSlash(f.Name))
		if _, err := os.Lstat(files[i].Name); !errors.Is(err, fs.ErrNotExist) {
			return usage(fmt.Errorf("%s exists already: choose another folder", files[i].Name))
		}
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			return err
		}
		if err := regular.WriteText(f.Name, string(f.Text)); err != nil {
			return err
		}
		if err := env.lines("results: " + f.Name); err != nil {
			return err
		}
	}
	return nil
}

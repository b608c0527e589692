package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/analysis"
	reports "github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/export"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/choose"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/step"
	"github.com/hashzoo/hashzoo/workloads/suite"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// suiteFlags are the flags of suite. A suite is a sweep in the folder FILE.parts.
type suiteFlags struct {
	*sweepFlags
	file         string
	tune, budget time.Duration
	scale        float64
	all          suite.Suite
}

func newSuiteCommand(env *Env) *cobra.Command {
	c := &suiteFlags{sweepFlags: &sweepFlags{runFlags: newRunFlags(env), on: thisMachine}, scale: 1}
	command := &cobra.Command{Use: "suite", Args: cobra.NoArgs, RunE: func(command *cobra.Command, _ []string) error { return c.run(command.Context()) }}
	f := command.Flags()
	f.StringVarP(&c.file, "output", "o", "", "the `file` to write, such as h200.ndjson")
	f.Var(settings.Duration(&c.budget, time.Millisecond), "budget", "stop after this time, with the passes over all questions that are whole by then")
	f.Var(settings.Duration(&c.tune, time.Millisecond), "tune", "also search the best parameters for each script, for this time altogether, and measure them, too")
	f.Var(settings.Number(&c.scale, 1e-9, 1), "scale", "a part of the usual sizes, measured twice, for a trial: such results are compared with no others")
	c.flags(command, "schemes")
	env.usesSchemes(command, "device", "threads", "engine.batch_timeout")
	c.flags(command, "quiet")
	command.AddCommand(newSuiteVerify(env))
	return command
}

func (c *suiteFlags) run(ctx context.Context) error {
	if c.file == "" {
		return misused(errors.New("-o is missing: it takes the file to write, such as -o h200.ndjson"))
	}
	if is, err := os.Stat(c.file); err == nil && is.IsDir() {
		return usage(fmt.Errorf("-o is %s, a folder: it takes a file, such as %s", c.file, filepath.Join(c.file, "h200.ndjson")))
	}
	q, asked, err := c.declare()
	if err != nil {
		return usage(err)
	}
	release, err := sweep.Folder(c.out).Begin()
	if err != nil {
		return err
	}
	defer release()
	for i := range c.all.Suite.Questions {
		if question := &c.all.Suite.Questions[i]; c.tune > 0 && err == nil {
			question.Chosen, err = c.chosen(ctx, q, *question, asked)
		}
	}
	if err != nil {
		return err
	}
	s, err := c.expand(ctx, q, c.all.Parts(q.Choice.Schemes))
	if err != nil {
		return err
	}
	missing, err := s.Continue()
	if err != nil {
		return err
	}
	return c.measure(ctx, s, missing)
}

// declare reads the questions, makes their settings those of everybody, and lists the schemes that are asked.
func (c *suiteFlags) declare() (q session.Request, asked []string, err error) {
	dev, err := devices.Parse(c.Settings.Device)
	if err == nil {
		c.all, err = suite.New(dev.OnGPU(), c.scale)
	}
	for key, value := range c.all.Settings {
		err = errors.Join(err, c.Settings.Set(c.Settings.Find(key), value, c.all.Version))
	}
	c.out, c.all.Tuned = c.file+".parts", c.tune.Seconds()
	if err == nil {
		var list []schemes.Config
		list, err = session.Schemes(c.request.Choice.Schemes)
		asked = lists.Map(list, schemes.Config.String)
	}
	if err == nil {
		q, err = c.complete("")
	}
	return q, asked, err
}

func (c *suiteFlags) measure(ctx context.Context, s sweep.Sweep, missing []sweep.Ref) error {
	limited, end := context.WithCancel(ctx)
	if c.budget > 0 {
		limited, end = context.WithTimeout(ctx, c.budget)
	}
	defer end()
	if len(missing) == 0 {
		c.warn("all was measured before: %s; hint: another -o measures again", c.out)
	} else {
		_ = s.Obtain(ctx, c.base) // points that lack something say so
	}
	if err := c.local(limited, s, missing); err != nil && (ctx.Err() != nil || limited.Err() == nil) {
		return c.ended(ctx, s, err)
	}
	d, err := c.all.Document(s, c.points)
	if err != nil {
		return fmt.Errorf("%w; hint: the same command continues", err)
	}
	if err := regular.Write(c.file, func(to *regular.Output) error { return results.WriteLines(to, d) }); err != nil {
		return err
	}
	err = c.lines(fmt.Sprintf("%s: %s of %d questions, %d left out, measured %d times on %s; next: hashzoo suite verify %[1]s", c.file, number.Count(len(d.Rows), "row"),
		len(d.Run.Suite.Questions), len(d.LeftOut), d.Run.Suite.Passes, d.Run.Device.Model))
	if failed := lists.Filter(d.LeftOut, func(l results.LeftOut) bool { return l.Failed }); len(failed) > 0 && err == nil {
		err = fmt.Errorf("%s failed: the file says why; the same command tries again", number.Count(len(failed), "answer"))
	}
	return err
}

// chosen are the best configurations for a question, without those that are asked anyway. What was found before is in the file.
func (c *suiteFlags) chosen(ctx context.Context, q session.Request, of results.Question, asked []string) (list []string, err error) {
	q = suite.Ask(of, q)
	q.JSON = filepath.Join(c.out, fmt.Sprintf("chosen-%s-%.8s.json", of.Name, c.all.Digest))
	if _, missing := os.Stat(q.JSON); missing != nil {
		c.warn("choosing parameters for %s", of.Name)
		wish := choose.Wish{Budget: c.tune / time.Duration(len(c.all.Questions)), Maximize: map[string]float64{of.Op: 1}}
		if q, err = wish.Request(q); err == nil {
			_, err = q.Results(ctx)
		}
		if ctx.Err() != nil {
			return nil, errors.New("interrupted while choosing parameters; hint: the same command continues")
		}
	}
	side, wrong := analysis.ReadParts(q.JSON)
	if err = cmp.Or(err, wrong); err != nil || side.Files[0].Choice == nil || side.Files[0].Choice.Winner == nil {
		c.warn("nothing is chosen: %v", cmp.Or(err, errors.New("no scheme has room")))
		return nil, nil
	}
	found := append([]results.Candidate{*side.Files[0].Choice.Winner}, side.Files[0].Choice.Others...)
	names := lists.Map(found, func(f results.Candidate) string { return f.Scheme })
	return lists.Filter(names, func(name string) bool { return !slices.Contains(asked, name) }), nil
}

func newSuiteVerify(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "verify"}
	questions := command.Flags().StringSlice("questions", nil, fmt.Sprintf("the `questions` to ask again here, or the word all (default: %d, drawn at random)", suite.Sampled))
	env.usesSchemes(command, "threads", "engine.batch_timeout")
	r.changed = command.Flags().Changed
	return env.listing(command, func(args []string) (any, func() error, error) {
		var list []*suite.Checked
		text, err := regular.Read(args[0], 1<<30)
		if err != nil {
			return nil, nil, err
		}
		d, err := results.Read(text)
		q, wrong := r.complete("")
		if q.Device = "cpu"; err == nil && wrong == nil {
			list, err = suite.Verify(command.Context(), d, q, *questions)
		}
		if err = errors.Join(err, wrong); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", args[0], err)
		}
		heading := fmt.Sprintf("%s: %s on %s, %s", args[0], d.Run.Suite.Version, d.Run.Device.Model, number.Count(len(d.Rows), "row"))
		table := results.TableOf("question | #rows | asked again | #inputs | #results | #tables", list, func(c *suite.Checked) []string {
			return []string{c.Question, fmt.Sprint(c.Rows), lists.Either(c.Oracle, "yes", "no"), fmt.Sprint(c.Inputs), fmt.Sprint(c.Results), fmt.Sprint(c.Tables)}
		})
		return list, env.page(heading, table,
			"inputs, results: rows whose digests and counts are those of an oracle here if the question was asked again, or else of the other rows",
			"tables: rows whose capacity and memory are what their parameters give; tables that grow have others",
			"rates cannot be checked: measure them again"), nil
	})
}

func newSiteCommand(env *Env) *cobra.Command {
	out := ""
	command := &cobra.Command{Use: "site", RunE: func(command *cobra.Command, args []string) error { return env.site(command.Context(), args, out) }}
	command.Flags().StringVarP(&out, "output", "o", "", "the `folder` to write, such as site")
	env.usesSchemes(command)
	return command
}

func (env *Env) site(ctx context.Context, folders []string, out string) error {
	if out == "" {
		return misused(errors.New("-o is missing: it takes the folder to write, such as -o site"))
	}
	site := reports.Site{Scripts: map[string]string{}}
	sides, err := sidesOf(folders, analysis.ReadParts)
	if err != nil {
		return err
	}
	site.Files = analysis.Files(sides)
	names, found, err := site.Check(out)
	if err != nil {
		return usage(err)
	}
	for _, script := range scripts.All() {
		site.Scripts[script.Name] = script.Source
	}
	if site.Schemes, err = env.describeForSite(ctx, names); err != nil {
		return err
	}
	if err := site.Write(out); err != nil {
		return usage(err)
	}
	return env.lines(append(found, "site: "+filepath.Join(out, "index.html"))...)
}

// describeForSite describes the schemes of a site that this program knows, and says which have no steps.
func (env *Env) describeForSite(ctx context.Context, names []string) (map[string]reports.Scheme, error) {
	list := lists.Filter(slices.Concat(schemes.All(), schemes.References()), func(s *schemes.Scheme) bool { return slices.Contains(names, s.Name) })
	if env.obtainSteps(ctx, list); ctx.Err() != nil {
		return nil, errors.New("interrupted; hint: the same command continues")
	}
	known, lacking, why := map[string]reports.Scheme{}, []string{}, ""
	for _, s := range list {
		d := description(s.Defaults())
		if known[s.Name] = d; d.Lacks != "" {
			lacking, why = append(lacking, s.Name), d.Lacks
		}
	}
	if len(lacking) > 0 {
		env.warn("pages without their steps: %s: %s", strings.Join(lacking, ", "), why)
	}
	return known, nil
}

// obtainSteps compiles what steps need that this program was built without, on all cores. Where that fails, playing the
// steps says why.
func (env *Env) obtainSteps(ctx context.Context, list []*schemes.Scheme) {
	line := newProgress(ctx, env, false)
	defer line.end()
	compile.OnCompile = func(c compile.Compiling) {
		if text := c.Text(); text != "" {
			line.above("hashzoo: " + text)
		}
		line.say(func() string { return fmt.Sprintf("compiled %d of %d sets of kernels", c.Done, c.Of) })
	}
	names := lists.Map(list, func(s *schemes.Scheme) []string { return step.Kernels(s.Defaults()) })
	_ = kernels.Obtain(false, slices.Concat(names...)...)
}

func description(c schemes.Config) reports.Scheme {
	s := reports.Scheme{Scheme: c.Scheme}
	if c.Reference {
		return s // its library has the rest
	}
	essays, err := c.Essays()
	if err == nil {
		s.Essay = paragraphs(essays[0])
	}
	plays, wrong := plays(c)
	if s.Plays = plays; cmp.Or(err, wrong) != nil {
		s.Lacks = cmp.Or(err, wrong).Error()
	}
	plugin := ""
	if c.Plugin != nil {
		plugin = " --plugin " + analysis.Shell(c.Plugin.Folder)
	}
	s.Export = lists.Map(export.Langs, func(lang string) string {
		return fmt.Sprintf("hashzoo export --lang %s%s %s my-%[1]s", lang, plugin, c.Name)
	})
	return s
}

// paragraphs are those of an essay, without the name of its header.
func paragraphs(essay schemes.Essay) (list []string) {
	for _, block := range blocks(essay.Lines) {
		joint := lists.Either(isIndented(block[0]), "\n", " ")
		if text := strings.TrimPrefix(strings.Join(block, joint), essay.Header+": "); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// plays are what adds a pair to a small table and what removes one: of the scheme's vectors, the operations with the highest rank.
func plays(c schemes.Config) ([]step.Operation, error) {
	const mostStills = 12 // steps up to which an operation is shown
	longest := make([]step.Operation, 2)
	err := step.Play(c, func(l step.Line) error {
		if l.Done == nil || len(l.Done.Steps) > mostStills {
			return nil
		}
		o := kernels.Op(l.Words[0])
		for i, does := range []bool{o.Adds, o.Removes != kernels.RemovesNone} {
			if does && rank(*l.Done) > rank(longest[i]) {
				longest[i] = *l.Done
			}
		}
		return nil
	})
	return slices.DeleteFunc(longest, func(o step.Operation) bool { return len(o.Steps) == 0 }), err
}

// rank prefers operations on a single key, then those of many steps.
func rank(o step.Operation) int {
	return len(o.Steps) + lists.Either(len(strings.Fields(o.Text)) == 2, 1000, 0)
}

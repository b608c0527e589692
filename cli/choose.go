package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/choose"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// chooseFlags are the flags of choose.
type chooseFlags struct {
	*runFlags
	wish     choose.Wish
	maximize string
	tui      bool
}

func newChooseCommand(env *Env) *cobra.Command {
	c := &chooseFlags{runFlags: newRunFlags(env), wish: choose.Wish{Budget: 2 * time.Minute}}
	command := &cobra.Command{Use: "choose", RunE: func(command *cobra.Command, args []string) error { return c.choose(command.Context(), args[0]) }}
	f := command.Flags()
	f.Var(settings.Number(&c.wish.BytesPerPair, 1, 1e6), "bytes-per-pair", "the most memory that the table may take for each pair in it")
	f.Var(settings.Duration(&c.wish.P99, time.Millisecond), "p99", "how long 99 percent of the batches may take at the most")
	f.Var(settings.Integer(&c.wish.Failed, 0, 1<<40), "failed", "operations that may find no room")
	f.Var(settings.Numbers(&c.wish.Loads, 0.01, 1), "load", "load factors to choose between, such as 0.8 or 0.6:0.9:0.05 (default: the script's)")
	f.StringVar(&c.maximize, "maximize", "", "`operations` whose rate counts, with weights: find or find=0.9,insert=0.1; or hits, those of the whole workload by its time (default: its time)")
	f.Var(settings.Duration(&c.wish.Miss, time.Nanosecond), "miss", "the time that each lookup without a hit takes besides, with --maximize hits")
	f.Var(settings.Duration(&c.wish.Budget, time.Millisecond), "budget", "how long the search may take")
	c.flags(command, append(scriptFlags, "schemes", "pair")...)
	env.usesSchemes(command, scriptSettings...)
	c.flags(command, "json", "ndjson", "quiet")
	f.BoolVar(&c.tui, "tui", false, "show the runs in the terminal")
	return command
}

func (c *chooseFlags) choose(ctx context.Context, name string) error {
	q, err := c.complete(name)
	if err != nil {
		return err
	}
	if c.wish.Hits = c.maximize == "hits"; !c.wish.Hits {
		if c.wish.Maximize, err = weights(c.maximize); err != nil {
			return misused(err)
		}
	}
	if q, err = c.wish.Request(q); err != nil {
		return usage(err)
	}
	c.page = choicePage
	if c.tui {
		return c.watch(ctx, q)
	}
	return c.run(ctx, q)
}

// weights reads find or find=0.9,insert=0.1.
func weights(text string) (map[string]float64, error) {
	if text == "" {
		return nil, nil
	}
	all := map[string]float64{}
	for item := range strings.SplitSeq(text, ",") {
		op, value, given := strings.Cut(item, "=")
		x, ok := number.Parse(value)
		if !given {
			x, ok = 1, true
		}
		if !ok || x <= 0 || op == "" {
			return nil, fmt.Errorf("--maximize is %q: it takes hits, or operations with weights above 0, such as find or find=0.9,insert=0.1", text)
		}
		all[op] = x
	}
	return all, nil
}

// choicePage prints the answer of a search, and the command that takes the winner home.
func choicePage(r *runFlags, s *session.Session, failure error) error {
	choice := s.Document.Choice
	if choice == nil {
		return nil
	}
	fmt.Fprintf(r.text(), "%s\n\n", runHeading(s))
	err := errors.Join(choose.Page(r.Out, *choice), r.lines(s.Written(failure)...))
	if choice.Winner == nil || err != nil {
		return err
	}
	config, err := schemes.Parse(choice.Winner.Scheme)
	if err != nil {
		return err
	}
	return r.lines("take it home: hashzoo export " + config.AtLoad(0).String() + " DIR")
}

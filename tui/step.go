package tui

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/step"
)

// stepper shows the operations on a small table step by step. Going back reads the list of
// steps; an operation that is then carried out replaces those after the step shown.
type stepper struct {
	config schemes.Config
	table  *step.Table // in use by a command while busy
	title  string      // of the table after what was done
	pairs  schemes.Pair
	done   []step.Operation
	steps  []stepOf // of all that was done, after one that is the empty table
	at     int      // the step shown; 0: the empty table
	ops    []string // those of the scheme; the first stands for the lesson
	chosen int      // of ops, for the keys that carry out the next operation
	taught int      // operations of the lesson so far
	random *rand.Rand
	busy   bool
	from   int  // the first line of the picture that is shown
	scroll bool // the user has chosen it
}

// stepOf is a step of an operation.
type stepOf struct {
	op int
	*step.Step
}

// lesson is the order of operations unless the user chooses one. Those that the scheme lacks are skipped.
var lesson = strings.Fields(`insert insert find insert insert update insert insert erase insert find insert upsert
	insert insert find_all insert resize insert find erase insert erase_all insert insert resize flush`)

const byLesson = "lesson"

// openStepper makes the table. One of more than a dozen slots is mostly filled, so that the interesting steps are near.
func openStepper(config schemes.Config) (*stepper, error) {
	table, err := step.Open(config)
	if err != nil {
		return nil, err
	}
	s := &stepper{config: config, table: table, title: table.Title(), pairs: table.Pair(), steps: []stepOf{{-1, &step.Step{State: table.State()}}},
		random: rand.New(rand.NewPCG(1, 2))}
	s.ops = append([]string{byLesson}, table.Operations()...)
	if slots := table.Slots(); slots > 12 && slices.Contains(s.ops, "insert") {
		s.fill(min(slots*3/4, 24))
	}
	return s, nil
}

// fill inserts this many pairs at once, or fewer if the table would grow.
func (s *stepper) fill(n int) {
	for rows := len(s.state().Rows); n > 0; n /= 2 {
		s.add(do(s.table, 0, "insert", strings.Fields(s.newPairs(n))))
		if s.end(); len(s.state().Rows) == rows {
			return
		}
		s.goTo(0)
	}
}

// newPairs are pairs whose keys are not in the table.
func (s *stepper) newPairs(n int) string {
	taken, list := s.keys(), []string{}
	for len(list) < n {
		if key := fmt.Sprint(1 + s.random.IntN(99)); !slices.Contains(taken, key) {
			taken, list = append(taken, key), append(list, s.pair("insert", key))
		}
	}
	return strings.Join(list, " ")
}

func (s *stepper) keys() []string {
	cells := slices.Concat(lists.Map(s.state().Rows, func(r step.Row) []string { return r.Cells })...)
	return lists.Map(lists.Filter(cells, isPair), keyOf)
}

func isPair(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

func keyOf(text string) string {
	key, _, _ := strings.Cut(text, "=")
	return key
}

// pair adds a value to a key if the operation takes one. A new value differs from the old one.
func (s *stepper) pair(op, key string) string {
	n, err := strconv.ParseUint(key, 10, 64)
	if !kernels.Op(op).Value || s.pairs.Value == 0 || err != nil {
		return key
	}
	value := n % 1e8 * 10
	if kernels.Op(op).May("replaced") || !kernels.Op(op).Adds {
		value += 1 + s.random.Uint64N(9)
	}
	return fmt.Sprintf("%s=%d", key, value)
}

// nextLine is the operation that follows: the one chosen, or that of the lesson, on random keys.
func (s *stepper) nextLine() (op string, words []string) {
	if op = s.ops[s.chosen]; op == byLesson {
		known := slices.DeleteFunc(slices.Clone(lesson), func(op string) bool { return !slices.Contains(s.ops, op) })
		op = known[s.taught%len(known)]
		s.taught++
	}
	keys := s.keys()
	switch o := kernels.Op(op); {
	case o.Kind == kernels.OnTable && o.Value:
		return op, []string{fmt.Sprint(s.otherSize())}
	case o.Kind == kernels.OnTable:
		return op, nil
	case o.Blind() || len(keys) == 0 || s.random.IntN(5) == 0: // of others, a few miss
		return op, []string{s.pair(op, keyOf(s.newPairs(1)))}
	}
	return op, []string{s.pair(op, keys[s.random.IntN(len(keys))])}
}

// otherSize is twice the size that the table began with, or that size.
func (s *stepper) otherSize() int {
	begun := slotsOf(s.steps[0].State)
	return either(slotsOf(s.state()) > begun, begun, 2*begun)
}

func slotsOf(state step.State) int {
	return lists.Sum(state.Rows, func(r step.Row) int { return len(r.Cells) })
}

// Limits of typed operations. Larger tables have no room on a screen.
const (
	mostTyped = 64
	mostSlots = 512
)

func (s *stepper) parse(line string) (op string, words []string, err error) {
	words = strings.Fields(line)
	if len(words) == 0 {
		return "", nil, errors.New("write an operation and its keys, such as find 17")
	}
	op, words = words[0], words[1:]
	switch o := kernels.Op(op); {
	case !slices.Contains(s.ops[1:], op):
		err = nearest.Unknown("operation", op, s.ops[1:])
	case o.Kind == kernels.OnTable && !o.Value:
		err = unless(len(words) == 0, "%s: it takes nothing", op)
	case o.Kind == kernels.OnTable:
		n, _ := strconv.Atoi(strings.Join(words, " "))
		err = unless(n > 0 && n <= mostSlots, "%s: it takes a number of slots, 1 to %d, such as %d", op, mostSlots, s.otherSize())
	default:
		err = unless(len(words) > 0 && len(words) <= mostTyped, "%s: it takes keys, 1 to %d of them, such as %s", op, mostTyped, s.pair(op, "17"))
		for i, word := range words {
			err = cmp.Or(err, s.check(op, word))
			words[i] = either(strings.Contains(word, "="), word, s.pair(op, word))
		}
	}
	return op, words, err
}

// check checks a key as typed, and its value if it has one.
func (s *stepper) check(op, word string) error {
	key, value, valued := strings.Cut(word, "=")
	k, err := strconv.ParseUint(key, 10, 8*s.pairs.Key)
	if err != nil || k >= s.pairs.ErasedKey() {
		return fmt.Errorf("%s: a key is a whole number below %d, not %q", op, s.pairs.ErasedKey(), key)
	}
	most := min(s.pairs.Value, 8)
	if _, err = strconv.ParseUint(value, 10, max(8*most, 1)); valued && (err != nil || most == 0) {
		return fmt.Errorf("%s: a value is a whole number of %d bytes, not %q", op, most, value)
	}
	return unless(!valued || kernels.Op(op).Value, "%s: it takes keys without values, such as %s", op, key)
}

// did is an operation that was carried out after the first kept ones.
type did struct {
	table *step.Table
	title string
	kept  int
	step.Operation
	whole bool // show its end, not its first step
	err   error
}

// do takes back the operations after the first kept ones, and carries out another.
func do(table *step.Table, kept int, op string, words []string) did {
	d := did{table: table, kept: kept, err: table.Keep(kept)}
	if d.err == nil && op != "" {
		d.Operation, d.err = table.Do(op, words...)
	}
	d.title = table.Title()
	return d
}

func (s *stepper) add(d did) {
	s.busy, s.title, s.done = false, d.title, s.done[:d.kept]
	s.steps = s.steps[:s.first(d.kept)]
	s.at = min(s.at, len(s.steps)-1)
	if d.err == nil && d.Steps != nil {
		s.done = append(s.done, d.Operation)
		s.goTo(len(s.steps))
		for i := range d.Steps {
			s.steps = append(s.steps, stepOf{d.kept, &d.Steps[i]})
		}
	}
	if d.whole {
		s.goTo(len(s.steps) - 1)
	}
}

// first is the first step of an operation, or of those after it.
func (s *stepper) first(op int) int {
	i := slices.IndexFunc(s.steps, func(step stepOf) bool { return step.op >= op })
	return either(i < 0, len(s.steps), i)
}

// op is the operation of the step shown; -1: none.
func (s *stepper) op() int { return s.steps[s.at].op }

func (s *stepper) goTo(at int) { s.at, s.scroll = at, false }

func (s *stepper) end() { s.goTo(s.first(s.op()+1) - 1) }

func (s *stepper) state() step.State  { return s.shown().State }
func (s *stepper) before() step.State { return s.steps[max(s.at-1, 0)].State }
func (s *stepper) shown() *step.Step  { return s.steps[s.at].Step }

func (s *stepper) close() {
	if s != nil {
		s.table.Close()
	}
}

// move scrolls the picture, or goes to the first or the last step.
func (s *stepper) move(c *canvas, n int) {
	switch n {
	case -endless:
		s.goTo(0)
	case endless:
		s.goTo(len(s.steps) - 1)
	default:
		s.scroll = true
		c.scroll(&s.from, n)
	}
}

// stepOn shows the next step, or with whole the end of the operation. After the last one it
// carries out another operation.
func (m *Model) stepOn(whole bool) {
	s := m.stepper
	switch {
	case s.busy:
	case s.at+1 == len(s.steps):
		op, words := s.nextLine()
		m.carryOut(op, words, whole)
	default:
		if s.goTo(s.at + 1); whole {
			s.end()
		}
	}
}

func (m *Model) stepBack() {
	switch s := m.stepper; {
	case s.busy:
	case s.at == 0:
		m.say("this is the beginning")
	default:
		s.goTo(s.at - 1)
	}
}

func (m *Model) undo() {
	switch s := m.stepper; {
	case s.busy:
	case s.at == 0:
		m.say("there is no operation to take back")
	default:
		m.say("took back " + s.done[s.op()].Text)
		s.goTo(s.first(s.op()) - 1)
		m.carryOut("", nil, true)
	}
}

// carryOut carries out an operation; none only takes back those after the one shown.
func (m *Model) carryOut(op string, words []string, whole bool) {
	s := m.stepper
	s.end()
	s.busy = true
	table, kept := s.table, s.op()+1
	m.launches.Add(1)
	m.start(func() tea.Msg {
		defer m.launches.Done()
		d := do(table, kept, op, words)
		d.whole = whole
		return d
	})
}

// carriedOut shows the steps of an operation. The error of a typed one appears above its line.
func (m *Model) carriedOut(d did) {
	if m.stepper.table != d.table {
		return
	}
	typed := m.prompt.sign == stepSign
	switch m.stepper.add(d); {
	case d.err != nil && typed:
		m.prompt.failure = d.err
	case d.err != nil:
		m.complain(d.err)
	case typed:
		m.prompt.close()
	}
}

// stepSign is before the line on which an operation is typed.
const stepSign = "> "

// typeKeys opens a line with the chosen operation and the keys typed so far.
func (m *Model) typeKeys(text string) {
	s := m.stepper
	m.prompt.open(stepSign, s.ops[max(s.chosen, 1)]+" "+text)
	m.prompt.input.CursorEnd()
}

// stepOperations are the operations that keys can carry out, with the one chosen or typed marked.
func (m *Model) stepOperations() (list pieces) {
	s := m.stepper
	here := s.ops[s.chosen]
	if m.prompt.sign == stepSign {
		here, _, _ = strings.Cut(m.prompt.input.Value(), " ")
	}
	for i, op := range s.ops {
		text, st, rank := op, faint, i+1
		if op == here {
			text, st, rank = "▸"+op, bold|accent, 0 // it stays where there is no room for all
		}
		list = append(list, piece{rank, st, text, with((*Model).chooseStepOperation, i)})
	}
	return list
}

func (m *Model) turnStepOperation(n int) {
	m.chooseStepOperation((m.stepper.chosen + n + len(m.stepper.ops)) % len(m.stepper.ops))
}

func (m *Model) chooseStepOperation(i int) {
	s := m.stepper
	s.chosen = i
	m.say(either(s.chosen == 0, "operations follow a lesson", "operations are "+s.ops[s.chosen]+" from now on"))
}

// stepInto opens the steps of the scheme that the screen shows.
func (m *Model) stepInto() {
	switch {
	case m.screen == onStart:
		f := &m.form
		if f.part != schemePart || len(f.picks) == 0 {
			m.complain(errors.New("no scheme has the focus: tab goes to the schemes"))
			return
		}
		config, err := f.picks[f.row().index].config()
		if err != nil {
			m.complain(err)
			return
		}
		m.openStep(config.String())
	case m.latest != nil && m.selected < len(m.latest.Schemes):
		m.openStep(m.latest.Schemes[m.selected].Name)
	case m.stepper != nil:
		m.screen = onStep
	default:
		m.say("no scheme yet: choose one, or write :step and its name")
	}
}

// openStep shows the steps of a scheme. If it was shown before, its table is as it was.
func (m *Model) openStep(name string) {
	config, err := schemes.Parse(name)
	switch {
	case err != nil:
		m.complain(err)
	case m.stepper != nil && m.stepper.busy:
		m.say("an operation is being carried out")
	case m.stepper != nil && m.stepper.config.String() == config.String():
		m.screen = onStep
	default:
		m.launches.Add(1)
		m.start(func() tea.Msg {
			defer m.launches.Done()
			s, err := openStepper(config)
			if err != nil {
				return failed(err)
			}
			return s
		})
	}
}

func (m *Model) showStepper(s *stepper) {
	m.stepper.close()
	m.stepper, m.screen = s, onStep
}

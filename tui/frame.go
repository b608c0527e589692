package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/workloads/live"
)

func drawHeader(a area, sc *scene) {
	a.line(0, whatRuns(a, sc), whichInput(sc))
	a.line(1, append(machine(sc), states(sc)...), pieces{{0, faint, "elapsed " + clock(sc.Elapsed), nil}})
	y := 2
	if text := trouble(sc); text != "" {
		a.part(0, y, a.w-1, 1).text(1, 0, bold|bad, text)
		y++
	}
	a.fill(0, y, a.w, frame, "─")
}

// trouble says what is wrong with the run as a whole.
func trouble(sc *scene) string {
	switch {
	case sc.Err != nil:
		return "failed: " + strings.ReplaceAll(sc.Err.Error(), "\n", "; ")
	case sc.Incomparable != "":
		return "not comparable: " + sc.Incomparable
	}
	return ""
}

func whatRuns(a area, sc *scene) (list pieces) {
	list.add(true, 6, bold|title, "hashzoo")
	list.add(true, 0, bold, "%s", sc.Name)
	point, phase := sc.Point, sc.Phase
	list.add(len(point.Point) > 0, 1, normal, "%s (%d/%d)", point.Point, point.Index+1, point.Of)
	list.add(phase.Name != "", 2, normal, "%s (%d/%d)", phase.Name, phase.Index+1, phase.Of)
	list.add(point.Lap > 0, 2, normal, "lap %d", point.Lap+1)
	list.add(sc.Done >= 0, 4, accent, "%s", meter(clamp((a.w-44)/6, 6, 24), sc.Done))
	list.add(sc.Done >= 0, 0, normal, "%3.0f %%", 100*min(sc.Done, 1))
	list.add(sc.Left >= 0 && sc.State != live.Ended, 3, normal, "eta %s", clock(sc.Left))
	return list
}

func whichInput(sc *scene) (list pieces) {
	list.add(true, 3, normal, "seed %d", sc.Seed)
	list.add(sc.Input != "", 5, faint, "in %.6s", sc.Input[strings.Index(sc.Input, ":")+1:])
	list.add(sc.Rate > 0, 4, faint, "open loop %s Mop/s", short(sc.Rate/1e6))
	list.add(!(sc.Rate > 0), 4, faint, "closed loop")
	return list
}

// machine is the device, with the figures that it gives.
func machine(sc *scene) (list pieces) {
	d := sc.Device
	name := d.Name
	if d.Threads > 0 {
		name += fmt.Sprintf(" %d %s%s", d.Threads, either(d.Driver == "", "thread", "SM"), either(d.Threads == 1, "", "s"))
	}
	list.add(true, 1, normal, "%s", name)
	list.add(true, 9, faint, "%s", d.Model)
	own := either(d.Driver == "", []string{device.CPUClock, device.CPUPower, device.CPUTemperature},
		[]string{device.GPUClock, device.GPUPower, device.GPUTemperature})
	for i, unit := range []string{"MHz", "W", "°C"} { // wide enough not to move what follows
		figure, told := sc.Machine.Figures[own[i]]
		list.add(told, 5+i, normal, "%*.0f %s", 4-i/2, figure, unit)
	}
	free := sc.Machine.Free
	list.add(free > 0 && d.Memory >= free, 4, normal, "%s of %s used", numbers.Bytes(d.Memory-free), numbers.Bytes(d.Memory))
	list.add(d.Driver != "" && len(sc.Machine.Throttled) > 0, 3, warn, "held back: %s", strings.Join(sc.Machine.Throttled, ", "))
	return list
}

func states(sc *scene) (list pieces) {
	list.add(sc.frozen, 0, bold|warn, "FROZEN, the run is at %s", clock(sc.now))
	list.add(sc.State == live.Starting, 0, accent, "STARTING")
	list.add(sc.State == live.Paused, 0, bold|warn, "PAUSED")
	list.add(sc.State == live.Ended && sc.Err == nil, 0, bold|good, "ENDED")
	list.add(sc.State == live.Ended && sc.Err != nil, 0, bold|bad, "FAILED")
	list.add(sc.Warmup && sc.State != live.Ended, 2, warn, "warm-up")
	list.add(sc.Replay, 2, accent, "replay ×%g", sc.Speed)
	list.add(sc.Recording != "", 1, bold|bad, "● rec %s", sc.Recording)
	list.add(sc.Counted, 5, faint, "counted")
	list.add(sc.filter != "", 2, warn, "filter %s", sc.filter)
	return list
}

func (m *Model) drawFooter(a area) {
	if m.ruled() {
		a.fill(0, 0, a.w, frame, "─")
	}
	switch {
	case m.prompt.sign == ":" || m.prompt.sign == stepSign && m.prompt.failure != nil:
		m.prompt.drawHint(a.rows(a.h-2, 1))
	case m.screen == onStep:
		var keys pieces
		keys.add(m.prompt.sign == stepSign, 1, faint, "tab operation  enter do it  esc back")
		a.line(a.h-2, m.stepOperations(), keys)
	default:
		var mix pieces
		if m.Snapshot != nil && m.screen != onStart {
			for i, share := range m.Mix {
				mix.add(true, i+1, faint, "%s %.0f %%", share.Op, 100*share.Part)
			}
		}
		a.line(a.h-2, m.tabs(), mix)
	}
	switch last := a.rows(a.h-1, 1); {
	case m.prompt.sign != "":
		m.prompt.input.SetWidth(last.w - 4)
		last.styled(1, 0, last.w, m.prompt.input.View())
	case m.message.text != "":
		last.part(0, 0, last.w-1, 1).text(1, 0, either(m.message.bad, bold|bad, accent), m.message.text)
	case m.ended() && m.screen != onStart && m.screen != onStep:
		last.line(0, pieces{{0, good, "the run has ended", nil}}, m.hints())
	default:
		last.line(0, m.hints(), nil)
	}
}

func (m *Model) tabs() (list pieces) {
	if m.session == nil {
		return pieces{{0, bold | accent, "start", nil}}
	}
	for i, s := range m.tabbed() {
		b, here := &m.bindings[i], s == m.screen
		text := b.Name
		if len(b.Keys) > 0 {
			text = keyNames.Replace(b.Keys[0]) + " " + text
		}
		list = append(list, piece{0, either(here, bold|accent, faint), either(here, "▸", "") + text, b.do})
	}
	return list
}

// hints returns the most useful keys of the screen. The keys that lead to all others are dropped last.
func (m *Model) hints() (list pieces) {
	for i := range m.bindings {
		b := &m.bindings[i]
		if b.Word == "" || !m.useful(b) || m.screen == onStart && !m.form.works(b.Name) {
			continue
		}
		rank := either(b.Name == "quit" || b.Name == "keys", 0, len(list)+1)
		list = append(list, piece{rank, faint, keyNames.Replace(b.Keys[0]) + " " + m.word(b), b.do})
	}
	return list
}

func (m *Model) useful(b *Binding) bool {
	here := b.isOn(m.screen) && len(b.Keys) > 0 && (!b.replay || m.latest != nil && m.latest.Replay)
	return here && (m.session != nil || !slices.Contains(screenNames(m), b.Name))
}

func (m *Model) word(b *Binding) string {
	switch {
	case b.Name == "expand" && m.expanded:
		return "one line"
	case b.Name == "freeze" && m.frozen:
		return "follow"
	case b.Name == "value-after" && m.form.row().field == nil:
		return "parameters"
	case b.Name == "pause" && m.latest != nil && m.latest.State == live.Paused:
		return "continue"
	case b.Name == "record" && m.latest != nil && m.latest.Recording != "":
		return "end recording"
	}
	return b.Word
}

//go:build browser

package report_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// browser is a Chromium without a window that is spoken to by the DevTools protocol, over a pipe.
type browser struct {
	t       *testing.T
	to      *os.File
	replies chan message
	id      int
	session string

	complaints []string // of the console and of the network
	requests   []string // addresses
}

// message is a command, its reply, or an event.
type message struct {
	ID      int                       `json:"id,omitempty"`
	Session string                    `json:"sessionId,omitempty"`
	Method  string                    `json:"method,omitempty"`
	Params  json.RawMessage           `json:"params,omitempty"`
	Result  json.RawMessage           `json:"result,omitempty"`
	Error   *struct{ Message string } `json:"error,omitempty"`
}

// program is the browser to test with: that of Debian's package, or its part without windows.
func program(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no browser: apt-get install --no-install-recommends chromium; make report-check does that")
	return ""
}

// flags let it run as root in a container, without asking anybody for anything.
var flags = strings.Fields(`--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
	--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe`)

// running is the browser of all tests.
var running *browser

// start returns the browser, which starts for the first test with an empty profile.
func start(t *testing.T) *browser {
	t.Helper()
	if running == nil {
		running = launch(t)
	}
	running.t = t
	return running
}

func launch(t *testing.T) *browser {
	t.Helper()
	profile := must.Get(os.MkdirTemp("", "browser"))(t)
	fromUs, to, err := os.Pipe()
	must.OK(t, err)
	from, toUs, err := os.Pipe()
	must.OK(t, err)
	command := exec.Command(program(t), append(flags, "--user-data-dir="+profile, "about:blank")...)
	command.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4
	must.OK(t, command.Start())
	fromUs.Close()
	toUs.Close()
	b := &browser{t: t, to: to, replies: make(chan message)}
	go b.listen(from)
	atEnd = append(atEnd, func() {
		to.Close() // which ends the browser
		late := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
		for range b.replies {
		}
		_ = command.Wait()
		late.Stop()
		os.RemoveAll(profile)
	})
	b.attach()
	return b
}

// listen passes on what the browser says, until it ends.
func (b *browser) listen(from *os.File) {
	defer close(b.replies)
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			b.replies <- m
		}
	}
}

// attach begins to speak to the page.
func (b *browser) attach() {
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.call("Target.getTargets", nil).into(b.t, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			b.call("Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}).into(b.t, &attached)
			b.session = attached.SessionID
		}
	}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
}

type object map[string]any

// call sends a command and waits for its reply.
func (b *browser) call(method string, params any) message {
	b.t.Helper()
	b.id++
	text := must.Get(json.Marshal(params))(b.t)
	if params == nil {
		text = nil
	}
	line, err := json.Marshal(message{ID: b.id, Session: b.session, Method: method, Params: text})
	must.OK(b.t, err)
	must.Get(b.to.Write(append(line, 0)))(b.t)
	m := b.wait(method, func(m message) bool { return m.ID == b.id })
	if m.Error != nil {
		b.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	return m
}

// wait returns the first message of a kind, and keeps what the others say.
func (b *browser) wait(what string, is func(message) bool) message {
	b.t.Helper()
	patience := time.After(time.Minute)
	for {
		select {
		case m, ok := <-b.replies:
			if !ok {
				must.OK(b.t, errors.New(what+": the browser ended"))
			}
			b.hear(m)
			if is(m) {
				return m
			}
		case <-patience:
			b.t.Fatalf("no answer to %s within a minute", what)
		}
	}
}

// hear keeps complaints and requests.
func (b *browser) hear(m message) {
	switch m.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed":
		b.complaints = append(b.complaints, m.Method+" "+string(m.Params))
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		m.at(b.t, &sent)
		b.requests = append(b.requests, sent.Request.URL)
	}
}

func (m message) into(t *testing.T, v any) {
	t.Helper()
	must.OK(t, json.Unmarshal(m.Result, v))
}

func (m message) at(t *testing.T, v any) {
	t.Helper()
	must.OK(t, json.Unmarshal(m.Params, v))
}

// open opens a page and returns how long that took, until it was painted.
func (b *browser) open(path string) time.Duration {
	b.t.Helper()
	begin := time.Now()
	b.call("Page.navigate", object{"url": "file://" + path})
	b.wait("load", func(m message) bool { return m.Method == "Page.loadEventFired" })
	b.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
	return time.Since(begin)
}

// eval returns the value of an expression, or of what it promises, as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	b.call("Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true}).into(b.t, &answer)
	if e := answer.ExceptionDetails; e != nil {
		b.t.Fatalf("%s: %s", expression, e.Exception.Description)
	}
	return fmt.Sprint(answer.Result.Value)
}

// look sets the size of the window, the colors that its user prefers, and the medium.
func (b *browser) look(width int, scheme, medium string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	b.call("Emulation.setEmulatedMedia", object{"media": medium, "features": []object{{"name": "prefers-color-scheme", "value": scheme}}})
}

// picture returns the whole page as a PNG.
func (b *browser) picture() []byte {
	b.t.Helper()
	return b.data("Page.captureScreenshot", object{"captureBeyondViewport": true})
}

// paper returns the page as a PDF.
func (b *browser) paper() []byte {
	b.t.Helper()
	return b.data("Page.printToPDF", object{"printBackground": false, "preferCSSPageSize": true})
}

func (b *browser) data(method string, params object) []byte {
	b.t.Helper()
	var answer struct{ Data string }
	b.call(method, params).into(b.t, &answer)
	data := must.Get(base64.StdEncoding.DecodeString(answer.Data))(b.t)
	return data
}

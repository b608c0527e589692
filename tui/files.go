package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// record starts a recording in a new file of the current folder, or ends it.
func (m *Model) record() tea.Cmd {
	if !m.goingOn() {
		return nil
	}
	if m.latest.Recording != "" {
		return m.recordTo("")
	}
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(strings.TrimSuffix(m.latest.Name, filepath.Ext(m.latest.Name)))
	return m.recordTo(Unused(fmt.Sprintf("%s-%d.rec", name, m.latest.Seed)))
}

func (m *Model) recordTo(path string) tea.Cmd {
	session := m.session
	return func() tea.Msg {
		if err := session.Record(path); err != nil {
			return done{err: err}
		}
		if path == "" {
			return done{text: "the recording ends"}
		}
		return done{text: "records into " + path + " from the next point on"}
	}
}

// Unused is a path that no file has: this one, or with a number in it.
func Unused(path string) string {
	extension := filepath.Ext(path)
	stem := strings.TrimSuffix(path, extension)
	for i := 2; ; i++ {
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d%s", stem, i, extension)
	}
}

// save writes the results, and a picture of the screen beside them.
func (m *Model) save() tea.Cmd {
	if m.session == nil {
		return nil
	}
	m.draw()
	session, name, picture := m.session, panes[m.screen].name, m.picture()
	return func() tea.Msg {
		path, err := session.Save()
		if err != nil {
			return done{err: err}
		}
		drawn := Unused(strings.TrimSuffix(path, filepath.Ext(path)) + "-" + name + ".svg")
		if err := os.WriteFile(drawn, []byte(picture), 0o644); err != nil {
			return done{err: err}
		}
		return done{text: "wrote " + path + " and " + drawn}
	}
}

// savePicture writes a picture of the screen.
func (m *Model) savePicture(path string) tea.Cmd {
	m.prompt.close() // so that it is not in the picture
	m.draw()
	picture := m.picture()
	return func() tea.Msg {
		if err := os.WriteFile(path, []byte(picture), 0o644); err != nil {
			return done{err: err}
		}
		return done{text: "wrote " + path}
	}
}

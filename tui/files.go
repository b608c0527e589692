package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/workloads/session"
)

// record starts a recording in a new file of the current folder, or ends it.
func (m *Model) record() tea.Cmd {
	if !m.running() {
		return nil
	}
	if m.latest.Recording != "" {
		return m.recordTo("")
	}
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(strings.TrimSuffix(m.latest.Name, filepath.Ext(m.latest.Name)))
	return m.recordTo(session.Unused(fmt.Sprintf("%s-%d.rec", name, m.latest.Seed)))
}

func (m *Model) recordTo(path string) tea.Cmd {
	watched, text := m.session, either(path == "", "the recording ends", "records into "+path+" from the next point on")
	return func() tea.Msg { return done{text, watched.Record(path)} }
}

// save writes the results, and a picture of the screen beside them.
func (m *Model) save() tea.Cmd {
	if m.session == nil {
		return nil
	}
	watched, name, picture := m.session, panes[m.screen].name, m.picture()
	return func() tea.Msg {
		path, err := watched.Save()
		if err != nil {
			return done{err: err}
		}
		drawn := session.Unused(strings.TrimSuffix(path, filepath.Ext(path)) + "-" + name + ".svg")
		return done{"wrote " + path + " and " + drawn, os.WriteFile(drawn, []byte(picture), 0o644)}
	}
}

func (m *Model) savePicture(path string) tea.Cmd {
	m.prompt.close()
	picture := m.picture()
	return func() tea.Msg { return done{"wrote " + path, os.WriteFile(path, []byte(picture), 0o644)} }
}

// Package bounded bounds the waits of tests: one that lasts too long fails its test, where it waits.
package bounded

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// Limit is the longest wait for what takes a moment, and ofCommands that for a program, such as a compiler: the machine
// may be busy.
const Limit, ofCommands = 2 * time.Minute, 10 * time.Minute

// Wait returns what comes from a channel.
func Wait[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(Limit):
		t.Fatalf("nothing came for %v", Limit)
	}
	return v
}

// WaitAll waits for a group.
func WaitAll(t testing.TB, group interface{ Wait() }) {
	t.Helper()
	ended := make(chan struct{})
	go func() { group.Wait(); close(ended) }()
	Wait(t, ended)
}

// Command is a command that is killed when it takes too long, or when its test ends.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), ofCommands)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = time.Minute // its children may hold its output open
	return c
}

package ranks

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether a file is this user's alone.
func private(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

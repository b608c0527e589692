package schemes

import "embed"

// Folders has the files that declare the compiled-in schemes, in a folder for each.
// Packages of schemes do not embed them, so that editing them recompiles no kernel.
//
//go:embed */*.toml */*.h */*.txt */*.csv */*.lua
var Folders embed.FS

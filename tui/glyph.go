package tui

// inASCII is what stands for the characters that this package draws where there is only
// ASCII. Each is one cell, as the one it stands for.
var inASCII = map[string]string{
	"…": "~", "±": "~", "µ": "u", "×": "x", "·": ".", "▸": ">", "◂": "<", "▾": "v", "▴": "^", "●": "*", "○": "o", "■": "#", "□": ".",
	"─": "-", "│": "|", "┼": "+", "├": "+", "┤": "+", "└": "+", "┴": "+", "┬": "+", "┄": "-", "╵": "'", "╷": ",",
	"←": "<", "→": ">", "↑": "^", "↓": "v", "✓": "x", "≤": "<", "∞": "*",
	"▏": ".", "▎": ".", "▍": ":", "▌": ":", "▋": "|", "▊": "|", "▉": "#", "█": "#",
	"▁": "_", "▂": "_", "▃": ".", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "░": ".", "▒": ":", "▓": "%",
}

// eighths are bars that grow upwards, and tenths-like ones that grow to the right.
var (
	eighths = [...]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	across  = [...]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}
)

// braille has the text of every pattern of eight dots.
var braille = func() (list [256]string) {
	for i := range list {
		list[i] = string(rune(0x2800 + i))
	}
	return list
}()

// letters has the text of single letters: the marks of schemes.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// mark is the letter that stands for a scheme wherever its name does not fit. With more
// schemes than letters they are used again.
func mark(scheme int) string {
	i := scheme % len(letters)
	return letters[i : i+1]
}

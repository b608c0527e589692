#!/bin/bash
# Makes the pictures of the terminal interface in docs/, from real runs in a real terminal, tmux. One moves: docs/tour.svg.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v tmux >/dev/null || { echo "screenshot: it needs tmux: apt-get install tmux" >&2; exit 1; }

folder=$(mktemp -d)
terminal() { TERM=xterm-256color LANG=C.UTF-8 tmux -u -S "$folder/tmux" "$@"; }
cleanup() {
  terminal kill-server 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

# shows waits until the screen shows a text.
shows() {
  for _ in $(seq 1200); do
    if terminal capture-pane -p | grep -q -- "$1"; then return; fi
    sleep 0.1
  done
  echo "screenshot: waited in vain for $1; the screen shows" >&2
  terminal capture-pane -p >&2
  exit 1
}

# picture writes what is on the screen.
picture() {
  rm -f "$1"
  terminal send-keys ":picture $1" Enter
  shows "wrote $1"
}

# frame adds what is on the screen to the moving picture, for some seconds: as a picture if the interface is there.
frames=()
frame() {
  local name=$folder/${#frames[@]}
  frames+=("$1" "$name.$2")
  if [ "$2" = svg ]; then picture "$name.svg"; else terminal capture-pane -p >"$name.txt"; fi
}

# types types a line, and shows it before it presses enter.
types() {
  terminal send-keys -l "$1"
  sleep 0.3
  frame 1.2 txt
  terminal send-keys Enter
}

# A run longer than the window of half a minute, on the device DEVICE or a CPU, with pairs that all these schemes take.
terminal -f /dev/null new-session -d -x 120 -y 36 "exec bin/hashzoo tui ycsb/a --device ${DEVICE:-cpu} --threads 1 --seed 42 \
  --set batch=200k --set batches=2000 --schemes 1cht,bcht,bcht:bucket=8,bp2ht,double,iht,linear"
shows 'elapsed 0:3[2-9]'
picture docs/overview.svg
terminal send-keys 2
shows 'Mop/s of all'
picture docs/compare.svg
terminal send-keys q

# A run, its replay, and an export, in a shell in a folder of its own.
terminal kill-server 2>/dev/null || true
terminal -f /dev/null new-session -d -x 100 -y 26 -c "$folder" "exec env PATH='$PWD/bin:$PATH' PS1='$ ' bash --norc --noprofile"
shows '^\$'
types "hashzoo tui rates --set n=200k --set runs=150 --axis load=0.8 --schemes bcht,iht,linear,slab --record my.rec"
shows '100% (3/5)'
sleep 2
for _ in $(seq 10); do
  frame 0.9 svg
  sleep 0.8
done
shows ENDED
terminal send-keys q
shows 'recording: my.rec'
terminal send-keys C-l
types 'hashzoo replay my.rec --quiet # the same run again'
shows '^measured:'
frame 3.5 txt
terminal send-keys C-l
types 'hashzoo export bcht my-table && make -sC my-table test # the winner, for your program'
shows 'checks, '
frame 3.5 txt
LC_ALL=C awk -f tools/animate.awk "${frames[@]}" >docs/tour.svg

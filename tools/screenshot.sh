#!/bin/bash
# Makes the pictures of the terminal interface in docs/, from a real run in a real terminal, tmux.
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

# A run longer than the window of half a minute, on the device DEVICE or a CPU, with pairs that all these schemes take.
terminal -f /dev/null new-session -d -x 120 -y 36 "exec bin/hashzoo tui ycsb/a --device ${DEVICE:-cpu} --threads 1 --seed 42 \
  --set batch=200k --set batches=2000 --schemes 1cht,bcht,bcht:bucket=8,bp2ht,double,iht,linear"
shows 'elapsed 0:3[2-9]'
picture docs/overview.svg
terminal send-keys 2
shows 'Mop/s of all'
picture docs/compare.svg
terminal send-keys q

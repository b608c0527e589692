#!/bin/sh
# Runs a sweep of 200 points on a real Slurm: two nodes on this machine, without cgroups and munge. In the middle a
# node, then a task is killed, then the sweep is canceled and resumed. What is merged must be what a sweep on this machine gives,
# apart from times. Debian: apt-get install slurmctld slurmd slurm-client procps; the daemons need root.
set -eu
cd "$(dirname "$0")/.."
hashzoo=$PWD/bin/hashzoo

export PATH="$PATH:/usr/sbin"
for program in slurmctld slurmd sbatch pgrep; do
  command -v $program >/dev/null || {
    echo "slurm-check needs $program: apt-get install slurmctld slurmd slurm-client procps" >&2
    exit 1
  }
done

dir=$(mktemp -d)
daemons=
cleanup() {
  for n in n1 n2; do end_node $n; done
  [ -z "$daemons" ] || kill -9 $daemons 2>/dev/null || true
  [ -n "${KEEP:-}" ] || rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

host=$(hostname)
export SLURM_CONF=$dir/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=root
SlurmctldPort=${PORT:-17817}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/%n.log
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdTimeout=4
KillWait=1
MinJobAge=300
ReturnToService=2
JobRequeue=1
GresTypes=gpu
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((${PORT:-17817} + 1)) CPUs=2 Gres=gpu:1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((${PORT:-17817} + 2)) CPUs=2 Gres=gpu:1
PartitionName=all Nodes=n1,n2 Default=YES State=UP
END
cat >"$dir/gres.conf" <<END
NodeName=n1,n2 Name=gpu File=/dev/tty0
END
mkdir "$dir/state" "$dir/n1" "$dir/n2"

start_node() { slurmd -N "$1" -c; }
# end_node ends a node as a power cut does: with all that it runs.
end_node() {
  [ -e "$dir/$1.pid" ] || return 0
  kill -9 "$(cat "$dir/$1.pid")" 2>/dev/null || true
  rm -f "$dir/$1.pid"
  for pid in $(pgrep -f "slurmstepd: .*" || true); do
    tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "SLURM_CONF=$dir/slurm.conf" || continue
    children=$(pgrep -P "$pid" || true)
    for child in $children; do
      tr '\0' '\n' <"/proc/$child/environ" | grep -qx "SLURMD_NODENAME=$1" || continue
      kill -9 "$pid" "$child" 2>/dev/null || true
    done
  done
}

# until_ COMMAND waits for it to succeed, for a minute.
until_() {
  for _ in $(seq 600); do
    if "$@"; then return; fi
    sleep 0.1
  done
  echo "slurm-check: waited for a minute: $*" >&2
  tail -n 5 "$dir"/*.log >&2
  exit 1
}
idle() { [ "$(sinfo -h -N -o '%t' | grep -c '^idle\|^mix\|^alloc')" = 2 ]; }
done_points() { ls "$1"/runs/*.ndjson 2>/dev/null | wc -l; }
more_than() { [ "$(done_points "$dir/slurm")" -gt "$1" ]; }
ended() { [ -z "$(squeue -h)" ]; }
# kill_task ends a process that carries out a task, if there is one now.
kill_task() { kill -9 $(pgrep -f "sweep task [0-9]*/20 $dir/slurm" | head -n 1) 2>/dev/null; }

slurmctld -c
daemons=$(cat "$dir/slurmctld.pid" 2>/dev/null || true)
until_ test -s "$dir/slurmctld.pid"
daemons=$(cat "$dir/slurmctld.pid")
start_node n1
start_node n2
until_ idle

cat >"$dir/points.lua" <<'END'
-- Points that take a while
axes = { load = { 0.8 }, hits = { 0.5 } }
shape = { n = 2000, load = opt.load }
stages = { batches = 5 }
function prepare(t)
  keys = gen.keys{}:take(2000)
  t:insert(keys, 1)
  for i = 1, 1e6 do end
end
function event(t) t:find(gen.hits{ of = keys, ratio = opt.hits, n = 2000 }) end
END
cd "$dir"
sweep() {
  "$hashzoo" sweep points.lua --axis load=0.5:0.88:0.02 --axis hits=0:0.8:0.2 --schemes 'bcht:bucket={8,16}' --threads 1 --seed 5 --quiet "$@"
}
say() { echo "$(($(date +%s) - began)) s: $*"; }
began=$(date +%s)
sweep --out local
"$hashzoo" sweep merge local
say "200 points on this machine"

submit() { sbatch --parsable --gres=gpu:1 slurm/slurm.sh >>jobs; }
sweep --out slurm --on slurm --tasks 20
submit
until_ more_than 20
end_node n2
say "a node is killed after $(done_points slurm) points"
until_ more_than 40
until_ kill_task
say "a task is killed after $(done_points slurm) points"
until_ more_than 60
scancel --name=hashzoo
until_ ended
for f in slurm/runs/*.ndjson; do
  tail -n 1 "$f" | grep -q '^{"end"' || { echo "slurm-check: $f is not whole" >&2; exit 1; }
done
say "canceled after $(done_points slurm) points"
"$hashzoo" sweep status slurm
start_node n2
until_ idle
submit
until_ ended
say "resumed: $(done_points slurm) points"
"$hashzoo" sweep status slurm | grep '^200 of 200 points done'
"$hashzoo" sweep merge slurm
[ "$(cat slurm/logs/*.log | grep -c 'points.lua.*: done in')" -ge 200 ]

rows() { # without times
  grep '^{"row"' "$1" | sed -E 's/"(rate_mops|[a-z]*_seconds|noise|settled|notes)":(\[[^]]*\]|[^,]*),//g'
}
rows local/merged/*.ndjson >local.rows
rows slurm/merged/*.ndjson >slurm.rows
[ "$(wc -l <local.rows)" = 400 ]
cmp local.rows slurm.rows
say "the merged results are those of the sweep on this machine"

// Package ranks makes one group of devices out of the devices of several processes, one each, on one host or on many.
// A launcher such as srun or mpirun starts the processes. Rank 0 runs the session; every other rank serves: it carries
// out on its device what rank 0 asks for. Only addresses, small blocks and digests go through rank 0. Batches are
// generated on every rank, and what an exchange moves goes between the ranks directly, by NCCL or TCP.
package ranks

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Most bounds the ranks, each of which is a part of a group.
const Most = 32

// Place is which process of a job this one is.
type Place struct {
	Rank, Ranks   int
	Local, Beside int    // the number among the ranks of this host, and how many these are; 0: unknown
	Job           string // names the job, alike on all ranks
	Host          string // of rank 0; empty: this one
}

// launcher is where a launcher says which process this is.
type launcher struct {
	name, rank, ranks, local, beside string
	job                              []string
}

// In an allocation of Slurm, mpirun's ranks have the variables of both: its own come first.
var launchers = []launcher{
	{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
		[]string{"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
	{"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "", []string{"SLURM_JOB_ID", "SLURM_STEP_ID"}},
}

// Here reads the place of this process from the variables of the launcher that started it.
func Here(variable func(string) string) (Place, error) {
	for _, l := range launchers {
		if variable(l.rank) != "" {
			return l.place(variable)
		}
	}
	return Place{}, fmt.Errorf("ranks: no launcher started this process: neither %s nor %s is set; hint: start the command with srun -n 2 or mpirun -n 2",
		launchers[0].rank, launchers[1].rank)
}

func (l launcher) place(variable func(string) string) (p Place, err error) {
	number := func(name string, least, most int) int {
		text := variable(name)
		n, wrong := strconv.Atoi(text)
		if err == nil && (wrong != nil || n < least || n > most) {
			err = fmt.Errorf("ranks: %s is %q: it takes %d to %d; hint: %s sets it", name, text, least, most, l.name)
		}
		return n
	}
	p.Ranks = number(l.ranks, 1, Most)
	p.Rank = number(l.rank, 0, p.Ranks-1)
	p.Local = number(l.local, 0, p.Rank)
	if l.beside != "" {
		p.Beside = number(l.beside, 1, p.Ranks)
	} else {
		p.Beside = besideBySlurm(variable, p.Ranks)
		p.Host = firstHost(variable("SLURM_STEP_NODELIST"))
	}
	parts := []string{strconv.Itoa(os.Getuid())}
	for _, name := range l.job {
		if text := variable(name); text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, strconv.Itoa(os.Getppid())) // the ranks of one host have one parent
	}
	p.Job = l.name + "-" + strings.Join(parts, "-")
	return p, err
}

// besideBySlurm reads how many ranks each host has, such as 4(x2),3: where they are all on one, or all have the same.
func besideBySlurm(variable func(string) string, ranks int) int {
	text := variable("SLURM_STEP_TASKS_PER_NODE")
	each, times, _ := strings.Cut(text, "(")
	n, err := strconv.Atoi(each)
	if err != nil || strings.Contains(times, ",") {
		return 0
	}
	return min(n, ranks)
}

// firstHost is the first of a list of Slurm's, such as gpu[003-010,012],login1.
func firstHost(list string) string {
	name, numbers, several := strings.Cut(list, "[")
	if !several || strings.Contains(name, ",") {
		name, _, _ = strings.Cut(list, ",")
		return name
	}
	return name + numbers[:max(0, strings.IndexAny(numbers, "-,]"))]
}

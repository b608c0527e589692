package ranks

import (
	"strings"
	"testing"
)

// from returns the place that a launcher's variables say.
func from(variables ...string) (Place, error) {
	return Here(func(name string) string {
		for _, v := range variables {
			if value, is := strings.CutPrefix(v, name+"="); is {
				return value
			}
		}
		return ""
	})
}

func TestHere(t *testing.T) {
	mpi := []string{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "PMIX_NAMESPACE=n"}
	slurm := []string{"SLURM_PROCID=2", "SLURM_NTASKS=5", "SLURM_LOCALID=0", "SLURM_JOB_ID=7", "SLURM_STEP_ID=1",
		"SLURM_STEP_NODELIST=gpu[08-10,12],x", "SLURM_STEP_TASKS_PER_NODE=2(x2),1"}
	for name, c := range map[string]struct {
		variables []string
		want      Place
	}{
		"mpirun":                    {mpi, Place{Rank: 3, Ranks: 4, Local: 1, Beside: 2}},
		"srun":                      {slurm, Place{Rank: 2, Ranks: 5, Host: "gpu08"}},
		"mpirun in an allocation":   {append(slurm, mpi...), Place{Rank: 3, Ranks: 4, Local: 1, Beside: 2}},
		"srun, all on one host":     {[]string{"SLURM_PROCID=1", "SLURM_NTASKS=2", "SLURM_LOCALID=1", "SLURM_STEP_NODELIST=a", "SLURM_STEP_TASKS_PER_NODE=2"}, Place{Rank: 1, Ranks: 2, Local: 1, Beside: 2, Host: "a"}},
		"srun, as many on each one": {[]string{"SLURM_PROCID=1", "SLURM_NTASKS=6", "SLURM_LOCALID=1", "SLURM_STEP_NODELIST=a,b", "SLURM_STEP_TASKS_PER_NODE=3(x2)"}, Place{Rank: 1, Ranks: 6, Local: 1, Beside: 3, Host: "a"}},
	} {
		have, err := from(c.variables...)
		have.Job = ""
		if err != nil || have != c.want {
			t.Errorf("%s: %+v instead of %+v: %v", name, have, c.want, err)
		}
	}
}

func TestWrongVariables(t *testing.T) {
	for want, variables := range map[string][]string{
		"no launcher started this process":                  nil,
		`OMPI_COMM_WORLD_SIZE is "": it takes 1 to 32`:      {"OMPI_COMM_WORLD_RANK=0"},
		`SLURM_NTASKS is "33": it takes 1 to 32`:            {"SLURM_PROCID=0", "SLURM_NTASKS=33"},
		`SLURM_PROCID is "2": it takes 0 to 1; hint: srun`:  {"SLURM_PROCID=2", "SLURM_NTASKS=2"},
		`SLURM_LOCALID is "-1": it takes 0 to 1`:            {"SLURM_PROCID=1", "SLURM_NTASKS=2", "SLURM_LOCALID=-1"},
		`OMPI_COMM_WORLD_RANK is "one": it takes 0 to 1; h`: {"OMPI_COMM_WORLD_RANK=one", "OMPI_COMM_WORLD_SIZE=2"},
	} {
		if _, err := from(variables...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v; it should say %q", variables, err, want)
		}
	}
}

// Jobs have rendezvous of their own, and the ranks of one job the same.
func TestRendezvous(t *testing.T) {
	at := func(job, name string, beside int) rendezvous {
		r, err := Place{Ranks: 2, Beside: beside, Job: job, Host: "first"}.meetAt(name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if a, b := at("1", "", 2), at("2", "", 2); a.file == b.file || a.file == "" || !a.here {
		t.Errorf("on one host: %+v and %+v", a, b)
	}
	if a, b := at("1", "", 1), at("2", "", 1); a.address == b.address || a.secret == b.secret || !strings.HasPrefix(a.address, "first:") || a.here {
		t.Errorf("on two hosts: %+v and %+v", a, b)
	}
	if a := at("1", "tcp://there:80", 2); a.address != "there:80" || a.file != "" {
		t.Errorf("%+v", a)
	}
	for _, name := range []string{"tcp://there", "http://there:80"} {
		if _, err := (Place{Ranks: 2}).meetAt(name); err == nil || !strings.Contains(err.Error(), "tcp://host:port, or the path of a file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rank 0 listens at an address as given, and for a name on all of its interfaces.
func TestListening(t *testing.T) {
	for address, want := range map[string]string{"127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "gpu08:80": ":80"} {
		if have := listening(address); have != want {
			t.Errorf("%s: %s instead of %s", address, have, want)
		}
	}
}

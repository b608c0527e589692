package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// neededFlags are those without which there is no manifest.
var neededFlags = []string{"image", "claim", "mount"}

// clusterFlags are those of --on k8s.
func clusterFlags(f *pflag.FlagSet, k *sweep.Kubernetes) {
	f.StringVar(&k.Image, "image", "", "with --on k8s: an `image` with this build of hashzoo")
	f.StringVar(&k.Claim, "claim", "", "with --on k8s: the `name` of the persistent volume claim that DIR is on")
	f.StringVar(&k.Mount, "mount", "", "with --on k8s: the `path` of that volume, here and in the pods")
	f.StringVar(&k.Namespace, "namespace", "", "with --on k8s: the `name` of the namespace")
	k.Parallelism = 100
	f.Var(settings.Integer(&k.Parallelism, 1, 10_000), "pods", "with --on k8s: pods at the same time")
}

// k8s writes a Job for the points that are missing, and applies it if it can.
func (c *sweepFlags) k8s(_ context.Context, s sweep.Sweep, missing []sweep.Ref) error {
	each, err := c.estimate(s)
	if err == nil && each == 0 {
		err = misused(errors.New("--on k8s groups points into tasks of about a minute: it takes --each, or a folder in which some points are done"))
	}
	if err != nil {
		return err
	}
	if c.cluster.GPU, err = devices.Accelerated(c.Settings.Device); err != nil {
		return usage(err)
	}
	path, tasks, err := c.cluster.WriteManifest(s, missing, each)
	if err != nil {
		return err
	}
	if err := c.lines([]string{fmt.Sprintf("job of %s: %s", many(tasks, "task"), path)}); err != nil {
		return err
	}
	applied, err := sweep.Apply(path)
	switch {
	case err != nil:
		return err
	case applied:
		return c.lines([]string{"applied; when it has ended: hashzoo sweep merge " + string(s.Folder)})
	}
	return c.lines([]string{"kubectl is not installed here; where it is: kubectl create -f " + path})
}

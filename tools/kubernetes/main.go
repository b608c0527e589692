// Command kubernetes reads the Job that `hashzoo sweep --on k8s` wrote, by Kubernetes' own types, which refuse fields
// that they lack and values of other types. It is a module of its own, because these types take longer to compile than
// all of hashzoo's tests.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/api/batch/v1"
)

func main() {
	var job v1.Job
	d := json.NewDecoder(os.Stdin)
	d.DisallowUnknownFields()
	if err := d.Decode(&job); err != nil {
		fmt.Fprintf(os.Stderr, "the manifest is not a Job of batch/v1: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("%s is a Job with %d tasks\n", job.Name, *job.Spec.Completions)
}

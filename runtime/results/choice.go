package results

// Choice is the answer of a search for the best scheme for a workload.
type Choice struct {
	Goal     string      `json:"goal" doc:"what was asked for"`
	P99      float64     `json:"p99_seconds,omitempty" doc:"how long 99 percent of the batches may take"`
	Command  string      `json:"command,omitempty" doc:"runs the workload on the winner again"`
	Winner   *Candidate  `json:"winner,omitempty" doc:"the best candidate; absent if none meets the constraints"`
	Within   []Candidate `json:"within,omitempty" doc:"candidates that are not certainly slower than the winner"`
	Others   []Candidate `json:"others,omitempty" doc:"the best candidate of each other scheme"`
	Front    []Candidate `json:"front,omitempty" doc:"candidates of which no other is both smaller and faster, the smallest first"`
	Depends  []Depends   `json:"depends,omitempty" doc:"changes of the workload under which another candidate is certainly faster"`
	Alike    []string    `json:"alike,omitempty" doc:"changes of the workload under which the winner stays"`
	Cannot   []Reason    `json:"cannot,omitempty" doc:"candidates that cannot do the work or break a constraint"`
	NotTried []Reason    `json:"not_tried,omitempty" doc:"candidates that were not measured"`

	Runs     int     `json:"runs" doc:"side-by-side runs of the workload"`
	Measured int     `json:"measured" doc:"candidates that were measured"`
	Seconds  float64 `json:"seconds" doc:"time of the whole search"`
	Service  float64 `json:"service_seconds" doc:"service time of all batches"`
}

// Candidate is a scheme with its parameters, as measured.
type Candidate struct {
	Scheme       string   `json:"scheme" doc:"as on the command line"`
	Load         float64  `json:"load" doc:"load factor of the table in the end"`
	BytesPerPair float64  `json:"bytes_per_pair" doc:"memory of the table by the pairs in it"`
	Mops         float64  `json:"mops" doc:"rate of the counted operations, in millions per second: the winner's, times the ratio, since candidates took part in different runs"`
	Ratio        float64  `json:"ratio" doc:"of its rate to the winner's"`
	Low          *float64 `json:"low,omitempty" doc:"the lower end of the ratio's 95 percent interval"`
	High         *float64 `json:"high,omitempty" doc:"the upper end"`
	Same         bool     `json:"same,omitempty" doc:"it certainly differs from the winner by less than 2 percent"`
	P99          float64  `json:"p99_seconds,omitempty" doc:"with --p99: the 99th percentile of the batches' times, if there were at least 100"`
}

// Depends is a change of the workload, and what is faster then.
type Depends struct {
	When   string  `json:"when" doc:"the change, such as load=0.9"`
	Scheme string  `json:"scheme" doc:"what is faster then"`
	Ratio  float64 `json:"ratio" doc:"of its rate to that of the winner"`
}

// Reason says why some candidates are not the answer.
type Reason struct {
	Schemes []string `json:"schemes" doc:"the candidates"`
	Why     string   `json:"why" doc:"the reason"`
}

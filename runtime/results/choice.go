package results

// Choice is the answer of a search for the best scheme for a workload.
type Choice struct {
	Goal     string      `json:"goal" doc:"what was asked for"`
	P99      float64     `json:"p99_seconds,omitempty" doc:"the limit for 99 percent of the batches"`
	Command  string      `json:"command,omitempty" doc:"runs the workload on the winner again"`
	Winner   *Candidate  `json:"winner,omitempty" doc:"the best; absent if none meets the constraints"`
	Within   []Candidate `json:"within,omitempty" doc:"those not certainly slower than it"`
	Others   []Candidate `json:"others,omitempty" doc:"the best of each other scheme"`
	Front    []Candidate `json:"front,omitempty" doc:"no other is both smaller and faster"`
	Depends  []Depends   `json:"depends,omitempty" doc:"changes of the workload under which another is certainly faster"`
	Alike    []string    `json:"alike,omitempty" doc:"changes of the workload under which the winner stays"`
	Cannot   []Reason    `json:"cannot,omitempty" doc:"those that cannot do the work or break a constraint"`
	NotTried []Reason    `json:"not_tried,omitempty" doc:"those not measured"`

	Runs     int     `json:"runs" doc:"side-by-side runs"`
	Measured int     `json:"measured" doc:"those measured"`
	Seconds  float64 `json:"seconds" doc:"time of the whole search"`
	Service  float64 `json:"service_seconds" doc:"service time of all batches"`
}

// Candidate is a scheme with its parameters, as measured.
type Candidate struct {
	Scheme       string   `json:"scheme" doc:"as on the command line"`
	Load         float64  `json:"load" doc:"load factor in the end"`
	BytesPerPair float64  `json:"bytes_per_pair" doc:"memory by pairs"`
	Mops         float64  `json:"mops" doc:"the winner's rate times the ratio, since candidates took part in different runs"`
	Ratio        float64  `json:"ratio" doc:"of its rate to the winner's"`
	Low          *float64 `json:"low,omitempty" doc:"its 95 percent interval"`
	High         *float64 `json:"high,omitempty" doc:"its upper end"`
	Same         bool     `json:"same,omitempty" doc:"it certainly differs by less than 2 percent"`
	P99          float64  `json:"p99_seconds,omitempty" doc:"of the batches' times, with --p99 and at least 100 batches"`
}

// Depends is a change of the workload, and what is faster then.
type Depends struct {
	When   string  `json:"when" doc:"the change, such as load=0.9"`
	Scheme string  `json:"scheme" doc:"what is faster then"`
	Ratio  float64 `json:"ratio" doc:"of its rate to the winner's"`
}

// Reason says why some candidates are not the answer.
type Reason struct {
	Schemes []string `json:"schemes" doc:"the candidates"`
	Why     string   `json:"why" doc:"the reason"`
}

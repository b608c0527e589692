package schemes

var fksGauges = []Gauge{
	{Name: bucketFill.Name, Help: "buckets by how many pairs they hold, without spare ones", Unit: bucketFill.Unit, Read: fksFill},
	slotUse,
	{Name: "buckets", Help: "buckets that have keys to serve, and spare ones", Unit: "buckets", Read: fksInUse},
	{Name: "renewed", Help: "buckets that were rehashed, split, or merged with another, since the table was made or moved",
		Unit: "buckets", Read: fksRenewed},
	{Name: "directory", Help: "entries that lead to buckets", Unit: "entries", Read: fksEntries},
}

// fksFill leaves out the spare buckets, which are empty.
func fksFill(t Table) ([]Bar, error) {
	f := newFks(t)
	bars, err := bucketFill.Read(t)
	if err != nil {
		return nil, err
	}
	s, err := f.state()
	if err != nil {
		return nil, err
	}
	bars[0].Value -= float64(f.spares(s))
	return bars, nil
}

func fksInUse(t Table) ([]Bar, error) {
	f := newFks(t)
	s, err := f.state()
	if err != nil {
		return nil, err
	}
	all, spare := f.Block().Buckets, f.spares(s)
	return parts(all, Bar{Label: "in use", Value: float64(all - spare)}, Bar{Label: "spare", Value: float64(spare)}), nil
}

func fksRenewed(t Table) ([]Bar, error) {
	s, err := newFks(t).state()
	return []Bar{
		{Label: "rehashed", Value: float64(s.Rehashed)},
		{Label: "split", Value: float64(s.Halved)},
		{Label: "merged", Value: float64(s.Merged)},
	}, err
}

func fksEntries(t Table) ([]Bar, error) {
	f := newFks(t)
	return []Bar{{Value: float64(f.roots() << f.Block().Arg[fksArgDepth])}}, nil
}

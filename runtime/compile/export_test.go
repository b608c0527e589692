package compile

// Again compiles and loads the kernels of a unit, whether the program has them or not.
func Again(kernel string) error {
	u, _ := unitOf(kernel)
	b, err := newBatch(false, []unit{u})
	if err != nil {
		return err
	}
	defer b.close()
	return b.run()
}

"""Who has to be simulated, of whom a bound is enough, and whom a dopaminergic push can reach."""

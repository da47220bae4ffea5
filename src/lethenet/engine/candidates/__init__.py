"""Who has to be simulated: neurons that can fire, neurons of which a bound is enough, and whom a push can reach."""

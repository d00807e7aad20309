"""Research baselines: methods that comparisons are made with."""

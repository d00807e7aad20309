"""Research baselines: methods for comparison."""

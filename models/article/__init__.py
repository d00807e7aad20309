"""The learned article model: labels, boosted trees, decisions, training."""

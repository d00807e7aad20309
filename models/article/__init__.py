"""The learned reader: labels, network, decisions, explanations, training."""

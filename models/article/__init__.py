"""The article model `Reader`: labels, network, decisions, explanations and training."""

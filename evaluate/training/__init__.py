"""Training of models from labelled pages."""

"""Arrays to scores, distances, templates, wrappers: estimators and tree algorithms."""

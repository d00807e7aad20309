"""Estimators and tree algorithms: from arrays to scores, distances, templates and wrappers."""

"""Prediction of whether a page needs to be rendered."""

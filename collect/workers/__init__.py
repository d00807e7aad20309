"""Pools of worker processes: starting, task dispatch, supervision and replacement."""

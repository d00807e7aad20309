"""Pure functions from a `Snapshot` to arrays over its nodes and blocks."""

"""`Snapshot` to arrays: pure functions over nodes and blocks."""

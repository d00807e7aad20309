"""From a `Snapshot` to an `Extraction`: methods, metadata and output."""

"""Training programs: from labelled pages to models."""

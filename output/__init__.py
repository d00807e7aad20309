"""`Extraction`, and the formats that it is written in."""

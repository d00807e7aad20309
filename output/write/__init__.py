"""Writers of the formats, one file each."""

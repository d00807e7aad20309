"""Worker processes: pools, limits on memory and time, scratch folders, process trees."""

"""Worker processes: started, fed, watched and replaced."""

"""What `miolo batch` and `miolo crawl` write, opened, read and exported."""

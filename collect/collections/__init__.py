"""Reading and exporting collections, the folders written by `miolo batch` and `miolo crawl`."""

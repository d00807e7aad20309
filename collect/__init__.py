"""Many pages and their labels: batches, crawls, collections, workers."""

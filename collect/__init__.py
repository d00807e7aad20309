"""Processing of many pages: batches, crawls, collections, labels, workers."""

"""Labels that people give the blocks of a collection's pages: queue, store, agreement."""

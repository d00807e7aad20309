"""Manual labels for the blocks of a collection's pages: queue, store, agreement, exchange."""

"""Batches: long lists of pages, processed resumably, politely and in bounded memory."""

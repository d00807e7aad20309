"""The service: extraction by HTTP, by worker processes that a page can cost nothing but itself."""

"""The service: extraction over HTTP, in workers that isolate a failure to its page."""

"""The answer, and everything that is written from it."""

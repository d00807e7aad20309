"""What of a site to visit next, and what not: pure functions, without network or state."""

"""What changed from one page to another."""

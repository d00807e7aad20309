"""Long lists of pages: resumable, polite, bounded."""

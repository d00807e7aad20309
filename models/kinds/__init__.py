"""Classification of pages by kind."""

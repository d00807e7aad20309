"""Crunch, by Gupta et al.: filters for links, forms and advertisements."""

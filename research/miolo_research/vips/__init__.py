"""VIPS: visual blocks of a page, by position, colour, font and the gaps between them."""

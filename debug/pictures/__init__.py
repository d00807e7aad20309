"""Screenshots with the extracted content, or visual blocks, drawn over them."""

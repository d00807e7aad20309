"""Screenshots with what was kept, and with visual blocks, drawn over them."""

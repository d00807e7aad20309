"""Screenshots with the extracted content drawn over them, and pictures of other packages."""

"""Plain GETs: pages, robots.txt and sitemaps as a server sends them."""

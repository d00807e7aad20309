"""Selection of the addresses of a site to visit: normal forms, links, scope, sitemaps, traps."""

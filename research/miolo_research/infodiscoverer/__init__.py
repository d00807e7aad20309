"""InfoDiscoverer: blocks whose terms are not spread over the pages of their site."""

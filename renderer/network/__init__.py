"""The network: whom a page may reach, how it is reached, and plain requests without a browser."""

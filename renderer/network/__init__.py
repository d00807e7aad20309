"""The network: which addresses a page may reach, and how; plain requests without a browser."""

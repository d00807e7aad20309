"""Whom a page may reach: every connection is checked, and made to the address that was checked."""

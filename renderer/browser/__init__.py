"""Chromium: starts it, limits its resources, opens pages in it and captures them."""

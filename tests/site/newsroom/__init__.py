"""Invented newspapers, served on this computer, with the expected text of each page."""

from .hostile import MARKS
from .page import Page
from .routes import ARTICLES, PAGES, ROUTES
from .server import NewsSite

__all__ = ["ARTICLES", "MARKS", "PAGES", "ROUTES", "NewsSite", "Page"]

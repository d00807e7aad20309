"""Newspapers of the tests' own, served on this computer, with the text that stands on each page."""

from .hostile import MARKS
from .page import Page
from .routes import ARTICLES, PAGES, ROUTES
from .server import NewsSite

__all__ = ["ARTICLES", "MARKS", "PAGES", "ROUTES", "NewsSite", "Page"]

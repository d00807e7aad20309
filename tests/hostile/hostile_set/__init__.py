"""A table of hostile pages, and the server that serves them."""

from .hostile import MARK, Hostile
from .server import HOSTILE, serving_hostile

__all__ = ["HOSTILE", "MARK", "Hostile", "serving_hostile"]

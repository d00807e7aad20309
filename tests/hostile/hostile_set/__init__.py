"""Pages that mean harm, as a table, and the server that they come from."""

from .hostile import MARK, Hostile
from .server import HOSTILE, serving_hostile

__all__ = ["HOSTILE", "MARK", "Hostile", "serving_hostile"]

"""Miolo renders web pages, extracts the article and explains every block it keeps or leaves out.

Names are loaded on first use, so importing the package is cheap. ``__init__.pyi`` lists what the
package exports.
"""

from __future__ import annotations

import logging

import lazy_loader

from .version import __version__ as __version__

# The application decides where the log goes.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

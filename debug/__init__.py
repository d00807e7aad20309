"""Tools that show why a page was extracted as it was: pictures, reports and comparisons."""

"""Why a page was read as it was: pictures, reports, comparisons."""

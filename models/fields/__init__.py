"""The values of fields such as title, authors and date, ranked by what speaks for them."""

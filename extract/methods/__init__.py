"""The extraction methods, one file each; `registry` lists them."""

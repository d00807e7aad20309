"""The extraction methods, one file each; `table` names them."""

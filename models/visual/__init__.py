"""Blocks as the eye sees them: by place, colour, font and the gaps between."""

"""Comparison systems and tree distances for studies with Miolo."""

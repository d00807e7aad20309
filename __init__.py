"""Miolo renders web pages in headless Chromium, takes out the article and shows why."""

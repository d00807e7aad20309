"""A small page of everything: what a worker is warmed up with, and the API's example."""

from __future__ import annotations

__all__ = ["EXAMPLE", "SAMPLE"]

_LINE = "The tide comes in twice a day, and the town has built its hours, roads and trade on it. "

EXAMPLE = f"<title>Tides</title><h1>Tides</h1><p>{_LINE.strip()}</p>"

SAMPLE = f"""<!doctype html><html lang=en><title>Tides</title>
<nav><a href=/a>Home</a> <a href=/b>Sport</a> <a href=/c>Weather</a></nav>
<main><h1>Tides</h1><p>By Ada Marsh, 3 May 2024</p>{4 * f"<p>{3 * _LINE}</p>"}
<h2>Mud</h2><ul><li>{_LINE}<li>{_LINE}</ul><blockquote>{_LINE}</blockquote>
<table><tr><th>Day<th>Height<tr><td>1<td>4.2 m</table></main>
<aside><h3>More</h3><ul><li><a href=/d>Dunes</a><li><a href=/e>Dykes</a></ul></aside>
<section id=comments><h3>Comments</h3><p>Well said.</p></section><footer>All rights</footer>"""

"""Shown parts of boxes, compared with what Chromium paints."""

from html import escape

import numpy as np
import pytest
from miolo.debug.pictures.clipping import shown_boxes
from stage import picture

RED = "<div id=red style='background:red; width:300px; height:200px; {}'>text</div>"
PLAIN = RED.format("")
ABSOLUTE = RED.format("position:absolute; left:90px; top:70px")
FIXED = RED.format("position:fixed; left:90px; top:70px")

CASES = {
    "collapsed": f"<div style='overflow:hidden; height:50px'>{PLAIN}</div>",
    "closed": f"<div style='overflow:hidden; height:0'>{PLAIN}</div>",
    "scrolls": f"<figure style='overflow-x:auto; width:120px'><pre>{PLAIN}</pre></figure>",
    "overflows": f"<pre style='width:120px; height:50px'>{PLAIN}</pre>",
    "one axis": f"<div style='overflow-x:clip; width:120px; height:50px'>{PLAIN}</div>",
    "nested": "<div style='overflow:hidden; width:220px'><p>Above<div style='overflow:auto; "
    f"width:400px; height:90px'>{PLAIN}</div></div>",
    "flex": f"<div style='display:flex; overflow:hidden; width:100px'>{RED.format('flex:none')}",
    "an inline": f"<span style='overflow:hidden; width:10px; height:10px'>{PLAIN}</span>",
    **{
        f"overflow of {name}": f"<style>{name} {{overflow:hidden; width:100px; height:50px}}"
        f"</style><body>{PLAIN}"
        for name in ("html", "body", "html, body")
    },
    "absolute outside": f"<div style='overflow:hidden; width:100px; height:100px'>{ABSOLUTE}</div>",
    "absolute inside": "<div style='overflow:hidden; position:relative; width:100px; "
    f"height:100px'><div>{ABSOLUTE}</div></div>",
    "fixed": "<div style='overflow:hidden; position:relative; width:100px; height:100px'>"
    f"{FIXED}</div>",
    "relative": "<div style='overflow:hidden; width:100px; height:100px'>"
    f"{RED.format('position:relative; left:30px')}</div>",
    **{
        f"{name} in a frame": "<iframe style='border:0; width:150px; height:120px' "
        f'srcdoc="{escape(inner)}"></iframe>'
        for name, inner in {"plain": PLAIN, "absolute": ABSOLUTE, "fixed": FIXED}.items()
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_shown_part_of_a_box_is_what_is_painted(stage, case):
    snapshot = stage.html(f"<!doctype html>{CASES[case]}", screenshot=True)
    node = next(n for n, value in snapshot.attributes.with_attribute("id") if value == "red")
    box = snapshot.box[node].tolist()
    (shown,) = shown_boxes(snapshot, [(node, box)])
    values = picture(snapshot)
    rows, columns = np.nonzero((values[:, :, 0] > 200) & (values[:, :, 1] < 60))
    if not len(rows):
        assert min(shown[2:]) == 0
        return
    x, y, width, height = shown
    painted = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    assert painted == pytest.approx((x, y, x + width, y + height), abs=1)

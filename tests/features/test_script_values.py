"""Values of scripts: JSON and literals of programs, whatever they are assigned or passed to."""

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miolo.features.script_values import script_values

PROSE = "The ferry left the harbour before the fog came down on the bay, and nobody was hurt. " * 4
STORY = {"story": {"title": "Fog", "body": [PROSE, 'He said "no", and left.', "Größe: 5 €"]}}


def strings(value) -> list[str]:
    """All strings of a value, in order."""
    found, stack = [], [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            stack += reversed(list(one.values()))
        elif isinstance(one, list):
            stack += reversed(one)
    return found


WRITTEN = json.dumps(STORY)
SINGLE = WRITTEN.replace("\\", "\\\\").replace("'", "\\'")


@pytest.mark.parametrize(
    "page",
    [
        f'<script type="application/json">{WRITTEN}</script>',
        f"<SCRIPT>window.state = {WRITTEN};</SCRIPT>",
        f"<script>var a=1;(window.q=window.q||[]).push({WRITTEN})</script>",
        f"<script>const s=JSON.parse('{SINGLE}')</script>",
        f"<script>boot({{id:7,data:{WRITTEN},done:function(){{return!0}}}})</script>",
        f"<script>/* it's */ // don't\nx=/[\"']/.test(y);load({WRITTEN})</script>",
        "<div data-page='" + WRITTEN.replace("'", "&#39;") + "'></div>",
        '<div data-page="' + WRITTEN.replace("&", "&amp;").replace('"', "&quot;") + '"></div>',
    ],
)
def test_strings_of_a_story_are_found_wherever_it_is_written(page: str) -> None:
    found = [text for value in script_values(page) for text in strings(value)]
    wanted = strings(STORY)
    assert [text for text in found if text in wanted] == wanted


def test_parts_that_scripts_append_to_one_list_are_joined() -> None:
    rows = f'0:["$","div",null,{{"children":"$L2"}}]\n2:["$","p",null,{{"children":"{PROSE}"}}]\n'
    cut = len(rows) // 3
    parts = (rows[:cut], rows[cut : 2 * cut], rows[2 * cut :])
    page = "".join(f"<script>self.__parts.push([1,{json.dumps(part)}])</script>" for part in parts)
    (root,) = script_values(page)
    assert root[:2] == ["$", "div"]
    assert root[3]["children"][3] == {"children": PROSE}


def test_a_text_with_its_length_in_bytes_ends_there() -> None:
    text = f"<p>Größe — {PROSE}</p>"
    rows = f'1:T{len(text.encode()):x},{text}3:["$","div",null,{{"html":"$1"}}]\n'
    (page,) = [f"<script>self.f.push([1,{json.dumps(rows)}])</script>"]
    assert text in [each for value in script_values(page) for each in strings(value)]


def test_flat_lists_are_trees_again() -> None:
    flat = [["Reactive", 1], {"story": 2, "again": 2}, {"title": 3, "body": 4}, "Fog", PROSE]
    page = f'<script type="application/json">{json.dumps(flat)}</script>'
    (root,) = script_values(page)
    assert root[1]["story"] == {"title": "Fog", "body": PROSE}


def test_nothing_of_the_page_is_a_value_without_prose() -> None:
    assert script_values("<script>var a={b:'" + "x" * 300 + "'}</script><p>{a}</p>") == []


@given(st.text(st.sampled_from("{}[]()\"'`/\\*=:,;+. \nabu0<>$"), max_size=300))
def test_no_program_is_refused(program: str) -> None:
    for closing in ("</script>", ""):
        script_values(f"<script>{program} '{PROSE}'{closing}")


@pytest.mark.parametrize(
    "part", ["[", "{", '"\\', "'\\", "`\\", "/*", "=/[", "(/a", "a.push([1,", "({", "x:T9,", "\\u"]
)
def test_time_is_linear(part: str) -> None:
    def seconds(size: int) -> float:
        page = f"<script>{part * size} '{PROSE}'</script>"
        return min(once(page) for _ in range(3))  # other programs only add time

    def once(page: str) -> float:
        started = process_time()
        script_values(page)
        return process_time() - started

    seconds(1000)
    assert seconds(80_000) < 40 * max(seconds(8_000), 0.02)

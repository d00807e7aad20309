"""No regular expression of the package takes more than linear time on any page."""

import json
import os
import re
import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from package_patterns import ROOT, Use, package_patterns
from pattern_pumps import pump
from samples import IS_WHOLE

# Each size is eight times the previous one. A linear match then takes eight times as long and a
# quadratic one 64 times as long. The bound lies in between.
SIZES = (128, 1024, 8192)
BOUND = 24.0
# A linear pattern processes the largest text in a fraction of this.
SUSPECT_SECONDS = 0.02
STEADY_SECONDS = 0.05
# A longer run is not measured again: other load on the machine cannot explain it.
SURE_SECONDS = 1.0
CPU_SECONDS = 600

ARGUMENTS = {
    "renderer/page/mhtml.py:_delimiter": (((b"outer", b"outer-inner"),),),
}
"""Arguments for functions that build a pattern from their arguments."""

OF_OUR_OWN_FILES = {
    "debug/reports/report_parts.py": "the template of a report",
    "evaluate/site_sets.py": "sources of posts, which come with the truth",
    "serve/answers.py": "the template of the report",
}
"""Files whose patterns are not applied to pages."""


def slow_text(use: Use, way: str) -> str | None:
    """Describe a text on which a pattern is slow, with two times; None if there is no such text."""
    pattern = re.compile(use.pattern, use.flags)
    for described, texts in pump(use.pattern, use.flags, SIZES):
        for smaller, text in pairwise(("", *texts)):
            now = cpu_seconds(pattern, way, text)
            if now > SUSPECT_SECONDS:
                before = steady_seconds(pattern, way, smaller)
                now = now if now > SURE_SECONDS else steady_seconds(pattern, way, text)
                if now > max(SUSPECT_SECONDS, BOUND * before):
                    return f"{described}: {len(text)} take {now:.4f} s, an eighth {before:.6f} s"
    return None


def steady_seconds(pattern: re.Pattern, way: str, text: str) -> float:
    """The median of three measurements."""
    return median(cpu_seconds(pattern, way, text, STEADY_SECONDS) for _ in range(3))


def cpu_seconds(pattern: re.Pattern, way: str, text: str, at_least: float = 0.0) -> float:
    """Seconds of one run: the mean of enough runs for the clock to measure."""
    subject = text if isinstance(pattern.pattern, str) else text.encode("latin-1")
    runs, spent, start = 0, 0.0, time.process_time()
    while runs == 0 or spent < at_least:
        if way == "finditer":
            for _ in pattern.finditer(subject):
                pass
        else:
            getattr(pattern, way)(subject)
        runs += 1
        spent = time.process_time() - start
    return spent / runs


def main() -> None:
    """Print each pattern that is tried, and each that is slow."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    uses, unknown = package_patterns(ARGUMENTS)
    print(json.dumps({"patterns": len(uses), "unknown": unknown}))
    for use in uses[:: int(sys.argv[1])]:
        for way in use.ways if use.place.split(":")[0] not in OF_OUR_OWN_FILES else ():
            print(json.dumps({"tried": f"{use.place} {way} {str(use.pattern)[:99]}"}), flush=True)
            if slow := slow_text(use, way):
                print(json.dumps({"slow": f"{use.place} {way} {slow}"}), flush=True)


@pytest.fixture(scope="module")
def report():
    """Output of a separate process, since a match that takes hours cannot be stopped otherwise."""
    command = [sys.executable, __file__, "1" if IS_WHOLE else "10"]
    done = subprocess.run(command, capture_output=True, text=True, env=_environment())
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    return lines


def _environment() -> dict[str, str]:
    folders = [str(ROOT.parent), *map(str, Path(__file__).parents[1].glob("shared")), *sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def test_the_pattern_of_every_call_is_known(report):
    assert report[0]["unknown"] == []
    assert report[0]["patterns"] > 200


def test_no_pattern_takes_more_than_linear_time(report):
    assert [line["slow"] for line in report if "slow" in line] == []


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"\s*;?\s*$", "finditer"),
        (r"(?:/amp|/index\.\w+)?/*$", "finditer"),
        (r"<style>(.*?)</style>", "finditer"),
        (r"\W*(?:page)?\W*[0-9]", "match"),
        (r"[\s,]*(?:and)?\s*", "fullmatch"),
        (r"( *)(?=[-: ]+$)(?=\S)", "match"),
    ],
)
def test_nonlinear_patterns_are_reported(pattern, way):
    assert slow_text(Use("", pattern, 0, (way,)), way)


@pytest.mark.parametrize("pattern", [r"\A\s*<!--", r"(?<!\s)\s*+,", r"<[^<>]*>"])
def test_linear_patterns_are_not_reported(pattern):
    assert slow_text(Use("", pattern, 0, ("finditer",)), "finditer") is None


if __name__ == "__main__":
    main()

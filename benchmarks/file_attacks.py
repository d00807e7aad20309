"""Archives, snapshots and states of collections that were tampered with.

    python benchmarks/file_attacks.py [--only PREFIX]…

Files of each kind are tampered with many times, in a separate process with limited processor time
and memory, and used in every way that an intact file is. A kind holds if each of its files is read,
or refused with a typed error, within 5 s of processor time. `attacks.py` runs these attacks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from time import monotonic, process_time

import miolo

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path += [str(TESTS / "hostile"), str(TESTS / "shared")]

from damaged_states import (  # noqa: E402
    COLUMNS,
    ODD,
    damaged_bytes,
    save_state,
    set_value,
    use_state,
)
from hostile_set.archives import ARCHIVES, tampered_file, whole_archives  # noqa: E402
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from miolo.collect.batch.files import RESULTS  # noqa: E402
from miolo.collect.batch.state_file import FILE  # noqa: E402

READ = "--read"
FILES = 200
KINDS = (
    *(f"archive: {name}" for name in ARCHIVES),
    "state: bytes",
    *(f"state: {name}" for name in COLUMNS),
)

FILE_SECONDS, ALL_SECONDS, ADDRESS_SPACE = 5.0, 300, 4 << 30


class Counts:
    """Number of files that were read, and of files that were refused."""

    def __init__(self) -> None:
        self.read = self.refused = 0
        self.slowest = 0.0

    def use(self, use, path: Path) -> None:
        """Use a file as an intact one would be used."""
        started = process_time()
        try:
            use(path)
            self.read += 1
        except miolo.MioloError:
            self.refused += 1
        self.slowest = max(self.slowest, process_time() - started)


def tamper(kind: str, folder: Path) -> Counts:
    """Tamper with files of a kind; errors that are not typed are raised."""
    counts = Counts()
    family, _, name = kind.partition(": ")
    if family == "archive":
        _use_archives(name, folder, counts)
        return counts
    save_state(folder)
    for _ in _damaged_states(name, folder):
        counts.use(use_state, folder)
    return counts


def _use_archives(name: str, folder: Path, counts: Counts) -> None:
    form = whole_archives(folder)[name]
    path = folder / f"tampered.{name}"

    @settings(
        max_examples=FILES,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
        ],
    )
    @given(data=st.data())
    def each(data: st.DataObject) -> None:
        path.write_bytes(tampered_file(data.draw, form))
        counts.use(form.use, path)

    each()


def _damaged_states(name: str, folder: Path) -> Iterator[None]:
    """Damage the state many times, each time in another way."""
    whole, results = (folder / FILE).read_bytes(), (folder / RESULTS).read_bytes()
    rng = random.Random(7)
    for turn in range(FILES if name == "bytes" else len(ODD)):
        for further in folder.glob(f"{FILE}-*"):
            further.unlink()
        (folder / RESULTS).write_bytes(results)
        (folder / FILE).write_bytes(damaged_bytes(whole, rng) if name == "bytes" else whole)
        if name == "bytes" or set_value(folder, name, ODD[turn]):
            yield


async def file_rows(only: tuple[str, ...]) -> AsyncIterator[tuple[str, str, float, list[str]]]:
    """The name, outcome, seconds and faults of each kind."""
    for kind in KINDS:
        if not kind.startswith(only):
            continue
        started = monotonic()
        with tempfile.TemporaryDirectory() as folder:
            work = await asyncio.create_subprocess_exec(
                *(sys.executable, __file__, READ, kind, folder),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            out, error = await work.communicate()
        if work.returncode:
            last = (error.decode("utf-8", "replace").strip().splitlines() or [""])[-1]
            fault = last or f"exit code {work.returncode}"
            yield kind, "broken", monotonic() - started, [fault]
            continue
        counts = json.loads(out)
        happened = "{read} read, {refused} refused".format(**counts)
        late = f"{counts['slowest']:.0f} s for one" if counts["slowest"] > FILE_SECONDS else ""
        yield kind, happened, monotonic() - started, [late] if late else []


def read_within_limits(kind: str, folder: Path) -> None:
    """Tamper with files of a kind in a folder, and print the outcomes."""
    resource.setrlimit(resource.RLIMIT_CPU, (ALL_SECONDS, ALL_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    print(json.dumps(vars(tamper(kind, folder))))


async def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", action="append", default=[], help="names that begin so")
    only = tuple(options.parse_args().only) or ("",)
    faults = []
    async for name, happened, seconds, row_faults in file_rows(only):
        print(f"{name}: {happened}, {seconds:.1f} s {row_faults or ''}", flush=True)
        faults += row_faults
    sys.exit(bool(faults))


if __name__ == "__main__":
    if sys.argv[1:2] == [READ]:
        read_within_limits(sys.argv[2], Path(sys.argv[3]))
    else:
        asyncio.run(main())

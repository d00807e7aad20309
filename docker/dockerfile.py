"""Reads this repository's Dockerfile and .dockerignore: the instructions that stand there."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

__all__ = ["Stage", "is_sent", "parse"]

ONE_LINE = re.compile(r" *\\\n\s*(?:#.*\n\s*)*")


@dataclass(frozen=True)
class Stage:
    """What one ``FROM`` begins.

    Attributes
    ----------
    image, name
        What it is made from, and what later stages call it.
    steps
        Instructions that build it, in order: ``RUN`` and ``COPY`` with their text.
    environment, user, folder
        Of its processes.
    command, health
        Command of the container, and the command of its health check.
    """

    image: str
    name: str
    steps: tuple[tuple[str, str], ...] = ()
    environment: dict[str, str] = field(default_factory=dict[str, str])
    user: str = "0:0"
    folder: str = "/"
    command: tuple[str, ...] = ()
    health: tuple[str, ...] = ()


def parse(text: str) -> list[Stage]:
    """The stages of a Dockerfile.

    Raises
    ------
    ValueError
        An instruction that is not known here, or nothing to begin with.
    """
    stages: list[Stage] = []
    lines = (line.strip() for line in ONE_LINE.sub(" ", text).splitlines())
    for line in lines:
        if not line or line.startswith("#"):
            continue
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            image, _, name = rest.partition(" AS ")
            stages.append(Stage(image, name))
        elif not stages:
            raise ValueError(f"{instruction} stands before FROM")
        else:
            stages[-1] = _with(stages[-1], instruction, rest.strip())
    return stages


def _with(stage: Stage, instruction: str, rest: str) -> Stage:
    if instruction in ("RUN", "COPY"):
        return replace(stage, steps=(*stage.steps, (instruction, rest)))
    if instruction == "ENV":
        variables = dict(word.split("=", 1) for word in shlex.split(rest))
        return replace(stage, environment=stage.environment | variables)
    if instruction == "USER":
        return replace(stage, user=rest)
    if instruction == "WORKDIR":
        return replace(stage, folder=rest)
    if instruction in ("ENTRYPOINT", "CMD"):
        return replace(stage, command=(*stage.command, *json.loads(rest)))
    if instruction == "HEALTHCHECK":
        return replace(stage, health=tuple(json.loads(rest[rest.index("[") :])))
    if instruction != "EXPOSE":
        raise ValueError(f"{instruction} is not known here")
    return stage


def is_sent(path: PurePosixPath, ignore: Path) -> bool:
    """Whether a file of the repository is sent to the engine.

    Parameters
    ----------
    path
        Relative to the repository's root.
    ignore
        The ``.dockerignore``: all is left out but what a ``!`` names, and of that what a
        ``**/`` names.
    """
    lines = [line for line in ignore.read_text("utf-8").splitlines() if line.strip()]
    exceptions = [PurePosixPath(line[1:]) for line in lines if line.startswith("!")]
    never = [line[3:] for line in lines if line.startswith("**/")]
    if any(fnmatch(part, pattern) for part in path.parts for pattern in never):
        return False
    return any(path == name or name in path.parents for name in exceptions)

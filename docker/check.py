#!/usr/bin/python3
"""Builds the Dockerfile's steps in bare Debian roots and runs the service there, with no engine.

Run as root with the system's Python: ``docker/check.py FOLDER [PATH…]``. It needs the packages
debootstrap, bubblewrap and python3-seccomp, and some 4 GB in FOLDER. A PATH of this machine is
seen by the steps too, such as a local store of packages. What an engine would do is done by
bubblewrap: file system, namespaces, rights, and the very filter of ``seccomp.json``.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from dockerfile import Stage, is_sent, parse

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent

# What reaches the package indexes from here may need settings of this machine.
SETTINGS = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
PATHS = ("/etc/resolv.conf", "/etc/pip.conf", *sys.argv[2:])
START_SECONDS = 10
SEARCHED = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def main() -> int:
    """Build, run and query the container; 0 if every promise is kept."""
    folder = Path(sys.argv[1])
    stages = parse((SOURCE / "Dockerfile").read_text("utf-8"))
    roots: dict[str, Path] = {}
    for number, stage in enumerate(stages):
        root = folder / f"stage-{number}"
        build(stage, root, base(folder, stage.image), roots)
        roots[stage.name] = root
    kept = run(stages[-1], folder / f"stage-{len(stages) - 1}")
    for promise, is_kept in kept.items():
        print("ok" if is_kept else "!!", promise)
    return 0 if all(kept.values()) else 1


def base(folder: Path, image: str) -> Path:
    """A bare Debian, which is what the image's name stands for."""
    suite = image.removeprefix("debian:").removesuffix("-slim")
    root = folder / suite
    if not (root / "etc/debian_version").exists():
        include = "--include=ca-certificates"
        subprocess.run(["debootstrap", "--variant=minbase", include, suite, str(root)], check=True)
    # The image has the updates too; this machine's own list knows where they are.
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    release = Path("/etc/os-release").read_text("utf-8")
    own = release.split("VERSION_CODENAME=")[1].split()[0]
    for source_list in Path("/etc/apt/sources.list.d").glob("*.sources"):
        text = source_list.read_text("utf-8").replace(own, suite)
        (root / "etc/apt/sources.list.d" / source_list.name).write_text(text)
    return root


def build(stage: Stage, root: Path, start: Path, roots: dict[str, Path]) -> None:
    """Run the steps of a stage in a copy of what it starts from."""
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(start), str(root)], check=True)
    for instruction, text in stage.steps:
        print(instruction, text[:90], flush=True)
        if instruction == "RUN":
            (root / stage.folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
            shell = ["--chdir", stage.folder, "env", *settings(stage), SEARCHED]
            shell += [*local_settings(), "sh", "-ec", text]
            subprocess.run([*inside(root, writable=True), *shell], check=True)
        else:
            copy(root, text.split(), roots)


def copy(root: Path, words: list[str], roots: dict[str, Path]) -> None:
    """``COPY``, from the repository or from another stage."""
    if words[0].startswith("--from="):
        source = roots[words[0].removeprefix("--from=")] / words[1].lstrip("/")
        subprocess.run(["cp", "-a", str(source), str(root / words[2].lstrip("/"))], check=True)
        return
    goal = root / words[-1].lstrip("/")
    for source in [SOURCE / word for word in words[:-1]]:
        for path in [source] if source.is_file() else source.rglob("*"):
            part = PurePosixPath(path.relative_to(SOURCE))
            if path.is_file() and is_sent(part, SOURCE / ".dockerignore"):
                to = goal / part
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)


def inside(root: Path, *, writable: bool) -> list[str]:
    """The command that runs another one in a root."""
    words = ["bwrap", "--bind" if writable else "--ro-bind", str(root), "/", "--dev", "/dev"]
    words += ["--proc", "/proc", "--die-with-parent", "--cap-add", "ALL"]
    if writable:
        for path in filter(os.path.exists, PATHS):
            words += ["--ro-bind", path, path]
    return words


def local_settings() -> list[str]:
    """Of this machine's environment what package managers look at."""
    return [f"{k}={v}" for k, v in os.environ.items() if k.upper().startswith(SETTINGS)]


def run(stage: Stage, root: Path) -> dict[str, bool]:
    """Start the container's command as an engine would, and query it."""
    with container(stage, root) as pid:
        enter = ["nsenter", "--target", str(pid), "--all", "--root", "--wd"]
        as_user = [*enter, *unprivileged_options(stage), "env", *settings(stage)]
        probe = (HERE / "probe.py").read_text("utf-8")
        answer = subprocess.run(
            [*as_user, "python", "-"], input=probe, capture_output=True, text=True, check=False
        )
        if answer.returncode:
            return {f"the service answers: {answer.stderr[-800:]}": False}
        health = subprocess.run([*as_user, *stage.health], check=False)
        results: dict[str, bool] = json.loads(answer.stdout)
        results["its health check passes"] = health.returncode == 0
        results["Chromium has its sandbox"] = is_sandboxed(pid)
        return results


@contextmanager
def container(stage: Stage, root: Path) -> Iterator[int]:
    """The running command; gives its process. No network beyond loopback."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder) / "token"
        token.write_text(secrets.token_urlsafe(32))
        token.chmod(0o444)
        info_read, info_write = os.pipe()
        profile = os.memfd_create("seccomp")
        write_filter(profile)
        words = inside(root, writable=False)
        words += ["--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/run", "--chdir", stage.folder]
        words += ["--perms", "0755", "--dir", "/run/secrets"]
        words += ["--ro-bind", str(token), "/run/secrets/miolo_token", "--unshare-net"]
        words += [
            "--unshare-pid",
            "--as-pid-1",
            "--unshare-ipc",
            "--unshare-uts",
            "--info-fd",
            str(info_write),
        ]
        words += ["--seccomp", str(profile), *unprivileged_options(stage), "env", *settings(stage)]
        running = subprocess.Popen([*words, *stage.command], pass_fds=(info_write, profile))
        os.close(info_write)
        try:
            with os.fdopen(info_read) as info:
                child: int = json.load(info)["child-pid"]
            wait_for(child, stage.command[0])
            yield child
        finally:
            running.terminate()
            running.wait(30)


def wait_for(pid: int, name: str) -> None:
    """Until a process is the command and no longer what prepares its namespaces."""
    until = time.monotonic() + START_SECONDS
    while Path(os.readlink(f"/proc/{pid}/exe")).name != name:
        if time.monotonic() > until:
            raise SystemExit(f"{name} does not start")
        time.sleep(0.05)


def unprivileged_options(stage: Stage) -> list[str]:
    """``cap_drop: ALL`` and ``no-new-privileges``, as the image's user."""
    user, group = stage.user.split(":")
    words = ["setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--no-new-privs"]
    return [*words, "--bounding-set=-all", "--inh-caps=-all"]


def settings(stage: Stage) -> list[str]:
    """The stage's environment and no other."""
    return ["-i", *(f"{name}={value}" for name, value in stage.environment.items())]


def write_filter(file: int) -> None:
    """``seccomp.json`` as the kernel takes it."""
    import seccomp  # pyright: ignore[reportMissingImports] (of Debian, not of an index)

    profile: dict[str, Any] = json.loads((HERE / "seccomp.json").read_text("utf-8"))
    seccomp_filter = seccomp.SyscallFilter(seccomp.ERRNO(profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        tests = [
            seccomp.Arg(arg["index"], seccomp.MASKED_EQ, arg["value"], arg["valueTwo"])
            for arg in rule.get("args", ())
        ]
        for name in rule["names"]:
            try:
                seccomp_filter.add_rule(seccomp.ALLOW, name, *tests)
            except RuntimeError:  # as engines do with names that this kernel does not know
                print("unknown here:", name)
    with os.fdopen(os.dup(file), "wb") as written:
        seccomp_filter.export_bpf(written)
    os.lseek(file, 0, os.SEEK_SET)


def is_sandboxed(pid: int) -> bool:
    """Whether the processes that Chromium makes its renderers from have a user namespace."""
    outer = os.readlink(f"/proc/{pid}/ns/user")
    namespaces = []
    for process in descendants(pid):
        # Parted by NUL or, once Chromium has written its own, by spaces.
        line = Path(f"/proc/{process}/cmdline").read_bytes()
        if b"--type=zygote" in line and b"--no-zygote-sandbox" not in line:
            namespaces.append(os.readlink(f"/proc/{process}/ns/user"))
    return bool(namespaces) and outer not in namespaces


def descendants(pid: int) -> list[int]:
    """A process and all below it."""
    processes = [pid]
    for process in processes:
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            processes.extend(map(int, children.read_text().split()))
    return processes


if __name__ == "__main__":
    sys.exit(main())

"""Files of the image: the Dockerfile's steps and users, and the seccomp filter's system calls."""

import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCKER = ROOT / "docker"

NAMESPACES_BUT_PIDS = 0x5E020080
USER_NAMESPACE = 0x10000000


def _module(name: str):
    spec = importlib.util.spec_from_file_location(name, DOCKER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # The dataclass decorator looks the module up by its name.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    return module


dockerfile = _module("dockerfile")


@pytest.fixture(scope="module")
def stages():
    return dockerfile.parse((ROOT / "Dockerfile").read_text("utf-8"))


@pytest.fixture(scope="module")
def profile():
    return json.loads((DOCKER / "seccomp.json").read_text("utf-8"))


def test_the_service_runs_as_an_unprivileged_user_from_a_pinned_base(stages):
    assert {stage.image for stage in stages} == {"debian:trixie-slim"}
    assert stages[-1].user == "10001:10001"
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert "--no-sandbox" not in text
    assert "--allow-private" not in text
    assert not re.search(r"(TOKEN|PASSWORD|SECRET)=", text)


def test_the_service_needs_a_token_and_reports_its_health(stages):
    command = stages[-1].command
    assert command[:4] == ("tini", "--", "miolo", "serve")
    assert command[command.index("--token-file") + 1].startswith("/run/secrets/")
    assert "/healthz" in stages[-1].health[-1]
    compile(stages[-1].health[-1], "health", "exec")


def test_nothing_is_written_outside_of_tmp(stages):
    environment = stages[-1].environment
    for name in ("HOME", "XDG_CACHE_HOME"):
        assert environment[name].startswith("/tmp")


def test_only_pinned_and_hashed_packages_are_installed(stages):
    installing = [text for kind, text in stages[0].steps if kind == "RUN" and "uv sync" in text]
    assert len(installing) == 2
    assert all("--locked" in text and "--no-dev" in text for text in installing)
    packages = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    files = {package["name"]: package.get("wheels", []) for package in packages}
    for name in ("playwright", "numpy", "fastapi", "uvicorn"):
        assert files[name], name
    assert all(file["hash"].startswith("sha256:") for each in files.values() for file in each)


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("renderer/page/snapshot.py", True),
        ("debug/reports/report.html", True),
        ("uv.lock", True),
        ("docker/check.py", False),
        ("docker/token", False),
        (".git/config", False),
        ("tests/conftest.py", False),
        ("renderer/__pycache__/snapshot.pyc", False),
        (".env", False),
    ],
)
def test_only_the_package_is_sent_to_the_engine(path, sent):
    assert dockerfile.is_sent(PurePosixPath(path), ROOT / ".dockerignore") is sent


def test_every_module_of_the_root_is_sent_to_the_engine():
    for path in ROOT.glob("*.py"):
        assert dockerfile.is_sent(PurePosixPath(path.name), ROOT / ".dockerignore"), path


def test_the_filter_refuses_system_calls_that_it_does_not_list(profile):
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = {name for rule in profile["syscalls"] for name in rule["names"]}
    for dangerous in (
        "mount umount2 pivot_root setns ptrace process_vm_readv process_vm_writev bpf keyctl "
        "add_key request_key init_module finit_module kexec_load reboot swapon perf_event_open "
        "userfaultfd io_uring_setup open_by_handle_at clock_settime "
        "personality fsopen move_mount clone3"
    ).split():
        assert dangerous not in allowed, dangerous
    for needed in "read write mmap futex execve seccomp prctl socket epoll_wait".split():
        assert needed in allowed, needed


@pytest.mark.parametrize(
    ("flags", "passes"),
    [
        (0x00000F00 | 17, True),  # a thread
        (USER_NAMESPACE | 17, True),
        (USER_NAMESPACE | 0x20000000 | 0x40000000 | 17, True),  # with PID and network namespaces
        (0x20000000 | 17, True),  # PID namespace: the kernel itself requires a capability
        (0x40000000 | 17, False),  # network namespace
        (0x00020000 | 17, False),  # mount namespace
    ],
)
def test_only_pid_namespaces_can_be_created_without_a_user_namespace(profile, flags, passes):
    rules = [rule for rule in profile["syscalls"] if "clone" in rule["names"]]
    tests = [rule["args"][0] for rule in rules]
    assert {test["op"] for test in tests} == {"SCMP_CMP_MASKED_EQ"}
    assert {test["value"] for test in tests} == {NAMESPACES_BUT_PIDS, USER_NAMESPACE}
    assert any(flags & test["value"] == test["valueTwo"] for test in tests) is passes


def test_the_example_gives_the_container_few_privileges():
    text = (DOCKER / "compose.yaml").read_text("utf-8")
    for line in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "./seccomp.json"):
        assert line in text
    assert '"127.0.0.1:8080:8080"' in text

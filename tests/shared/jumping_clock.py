"""A library for `LD_PRELOAD` that sets the clock of programs back by a day once a file exists."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

__all__ = ["COMPILER", "clock_set_back_by"]

COMPILER = shutil.which("cc")

SOURCE = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t) {
  long failed = syscall(SYS_clock_gettime, id, t);
  if (!failed && id == CLOCK_REALTIME && !access(getenv("SET_BACK"), F_OK)) t->tv_sec -= 86400;
  return failed;
}
int gettimeofday(struct timeval *t, void *zone) {
  struct timespec now;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return failed;
}
time_t time(time_t *t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
"""


def clock_set_back_by(file: Path) -> dict[str, str]:
    """An environment in which the clock is right until a file exists, beside which it is built."""
    source, library = file.with_suffix(".c"), file.with_suffix(".so")
    source.write_text(SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return {**os.environ, "LD_PRELOAD": str(library), "SET_BACK": str(file)}

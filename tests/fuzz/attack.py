"""Bad arguments for every public name: `PYTHONPATH=tests python -m fuzz.attack [names]`, as `make attack` does it.

Every name is attacked in a process of its own, which may die or hang: the next bad value then gets a new one.
"""

# ruff: noqa: T201 - it prints what it finds

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import tempfile
import traceback
from collections import Counter
from itertools import islice
from pathlib import Path

import paucal
from fuzz.calls import called, columns, good_calls, net

SECONDS = 10.0
ROOM = 6 * 2**30


def prepare_folder() -> None:
    """Write the files that the good calls read."""
    rows = zip(*columns().values(), strict=True)
    Path("table.csv").write_text("a,b,c\n" + "".join(",".join(row) + "\n" for row in rows))
    Path("known.toml").write_text('outcome = ["a"]\n')
    paucal.write_bif(net(), "net.bif")


def where(error: BaseException) -> str:
    """Give the last line of ours that an error came through."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "/paucal/" in frame.filename]
    if not ours:
        return "?"
    return f"{ours[-1].filename.split('/paucal/')[-1]}:{ours[-1].lineno}"


def attacked(good, few, first, pipe) -> None:
    """In a process of its own: tell of every bad call from one on, before and after."""
    for parameter, kind, arguments in islice(good.bad(few), first, None):
        os.write(pipe, json.dumps([parameter, kind]).encode() + b"\n")
        try:
            told = called(good.function, arguments)
        except BaseException as error:  # noqa: BLE001 - that is what is looked for
            told = f"{type(error).__name__} at {where(error)}: {str(error)[:100]!r}"
        os.write(pipe, json.dumps(told).encode() + b"\n")


def attack(good, few=False):
    """Give every bad call of a name and what came of it."""
    done = 0
    while True:
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(out)
            resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
            quiet = os.open(os.devnull, os.O_RDWR)
            for standard in (0, 1, 2):
                os.dup2(quiet, standard)
            attacked(good, few, done, into)
            os._exit(0)
        os.close(into)
        asked, text, hung = None, b"", False
        while True:
            ready, _, _ = select.select([out], [], [], SECONDS)
            if not ready:
                os.kill(child, signal.SIGKILL)
                hung = True
                break
            got = os.read(out, 65536)
            if not got:
                break
            *lines, text = (text + got).split(b"\n")
            for line in map(json.loads, lines):
                if asked is None:
                    asked = line
                else:
                    yield *asked, line
                    asked, done = None, done + 1
        os.close(out)
        _, status = os.waitpid(child, 0)
        if asked is None:
            return
        yield *asked, "no end" if hung else f"crash {status}"
        done += 1


def main() -> None:
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    foreign = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare_folder()
        counts = Counter[str]()
        for good in good_calls():
            if not any(word in good.name for word in part.split(",")):
                continue
            called(good.function, good.arguments)
            groups: dict[str, list[str]] = {}
            for parameter, kind, told in attack(good):
                short = told if told in ("answered", "refused") else "foreign"
                counts[short] += 1
                if short == "foreign":
                    groups.setdefault(f"{parameter}: {told.split(': ')[0]}", []).append(
                        f"{kind} ({told.split(': ')[-1]})"
                    )
            for group, kinds in groups.items():
                foreign += 1
                print(f"{good.name}: {group}: {'; '.join(kinds[:4])}", flush=True)
        print(f"{sum(counts.values()):,} calls: {dict(counts)}; {foreign} groups of foreign errors")
    sys.exit(foreign > 0)


if __name__ == "__main__":
    main()

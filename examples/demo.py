"""The main job on bundled data: from a network's sample to what the data can decide, a test, and a graph.

`make demo` runs it; it shows every command before its output and writes into the folder `demo`.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

COMMANDS = """
paucal sample asia -n 500 --seed 1 -o demo/asia.csv
paucal inspect demo/asia.csv
paucal test demo/asia.csv smoke dysp --test g chi2
paucal test demo/asia.csv smoke dysp --given bronc lung --test g chi2
paucal learn demo/asia.csv --out demo/asia.json --svg demo/asia.svg --report demo/asia.html
paucal compare demo/asia.json asia
"""


def main() -> None:
    """Run the commands one after the other and stop at the first that fails."""
    Path("demo").mkdir(exist_ok=True)
    program = Path(sys.executable).with_name("paucal")
    for line in COMMANDS.strip().splitlines():
        sys.stdout.write(f"\n$ {line}\n")
        sys.stdout.flush()
        subprocess.run([program, *shlex.split(line)[1:]], check=True)  # noqa: S603 - the commands stand above


if __name__ == "__main__":
    main()

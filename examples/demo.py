"""The main job on bundled data: from a network's sample to what the data can decide, a test, a graph, an effect.

`make demo` runs it; it shows every command before its output and writes into the folder `demo`.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

COMMANDS = """
# 500 patients of a chest clinic, drawn from a network: the truth is known
paucal sample asia -n 500 --seed 1 -o demo/asia.csv
# what is in the table, and what it can decide
paucal inspect demo/asia.csv
# smoking and shortness of breath go together
paucal test demo/asia.csv smoke dysp --test g chi2
# given bronchitis and lung cancer they no longer do
paucal test demo/asia.csv smoke dysp --given bronc lung --test g chi2
# the graph, how sure every edge of it is, and a page that explains it
paucal learn demo/asia.csv --out demo/asia.json --svg demo/asia.svg --report demo/asia.html
# what would change if nobody smoked
paucal effect demo/asia.csv smoke bronc --exogenous smoke
# how far the graph is from the truth
paucal compare demo/asia.json asia
"""


def main() -> None:
    """Run the commands one after the other and stop at the first that fails."""
    Path("demo").mkdir(exist_ok=True)
    program = Path(sys.executable).with_name("paucal")
    for line in COMMANDS.strip().splitlines():
        sys.stdout.write(f"\n{line}\n" if line.startswith("#") else f"$ {line}\n")
        sys.stdout.flush()
        if line.startswith("#"):
            continue
        subprocess.run([program, *shlex.split(line)[1:]], check=True)  # noqa: S603 - the commands stand above
    sys.stdout.write("\nOpen demo/asia.html in a browser: it explains every edge.\n")


if __name__ == "__main__":
    main()

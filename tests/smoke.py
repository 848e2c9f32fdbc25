"""A first look at an installed paucal, without any of the development tools: `python tests/smoke.py`.

`make wheel` runs it in empty environments, one with the wheel and one with the source distribution.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import paucal


def check(truth: bool, what: str) -> None:
    """Stop with a message unless something holds."""
    if not truth:
        sys.exit(f"smoke test: {what}")


def main() -> None:
    """Walk from a network to a page, in Python and from the command line."""
    source = Path(__file__).resolve().parents[1] / "src"
    check(
        source not in Path(paucal.__file__).resolve().parents,
        "this paucal is the source tree, not an installed one",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = paucal.load_network("asia").sample(500, seed=1)
        result = paucal.learn(data)
        check(result.graph.n_edges > 0, "nothing was learned")
        check(result.evidence.kind == "graphs", "the default search gives no probabilities")
        check("</html>" in result.report(folder / "page.html", data=data).read_text(encoding="utf-8"), "no page")
        program = str(Path(sys.executable).with_name("paucal"))
        for line in (
            ["--version"],
            ["sample", "alarm", "-n", "200", "--seed", "1", "-o", str(folder / "a.csv")],
            ["inspect", str(folder / "a.csv")],
            [
                "learn",
                str(folder / "a.csv"),
                "--report",
                str(folder / "b.html"),
                "--out",
                str(folder / "b.json"),
            ],
            ["compare", str(folder / "b.json"), "alarm"],
        ):
            done = subprocess.run([program, *line], capture_output=True, text=True, check=False)
            check(done.returncode == 0, f"paucal {' '.join(line)}\n{done.stderr}")
    sys.stdout.write(f"paucal {paucal.__version__} works in {sys.prefix}\n")


if __name__ == "__main__":
    main()

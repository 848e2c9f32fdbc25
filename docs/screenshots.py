"""Take the pictures of the report page anew: `python docs/screenshots.py`. Needs Chromium, selenium and Pillow."""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

import paucal

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser import chromium, screen  # noqa: E402 - tests/browser.py, which the line above makes known
from made_results import made  # noqa: E402

CHOOSE = """
const edges = [...document.querySelectorAll("[data-edge]")];
const found = edges.find((edge) => edge.textContent.startsWith(arguments[0]));
if (arguments[0]) (found || edges[0]).click();
window.scrollTo(0, 0);
"""
TALLEST = 1900


class Shot(NamedTuple):
    """What a picture shows: a page by name, an edge to choose, something else to do, the screen."""

    page: str
    edge: str = ""
    script: str = ""
    width: int = 1240
    dark: bool = False


SHOTS = {  # the first is the example of the README
    "report-light": Shot("asia", "either → xray"),
    "report-dark": Shot("child", "Disease", dark=True),
    "report-tests": Shot("child-tests", "LungParench → ChestXray"),
    "report-lanes": Shot("child-lanes", "ChestXray → XrayReport"),
    "report-large": Shot("dense"),
    "report-matrix": Shot("dense", script="document.querySelector('[data-view=matrix]').click()"),
    "report-compare": Shot("compared", "Disease"),
    "report-phone": Shot("child", width=390),
    "report-phone-graph": Shot("asia", "either → xray", "document.getElementById('unfold').click()", 390),
}


def pages(folder: Path) -> None:
    """Write the pages: learned from samples of known networks, and one of 74 columns with made-up probabilities."""
    asia, child, other = (
        paucal.load_network(name).sample(rows, seed=seed)
        for name, rows, seed in (("asia", 500, 1), ("child", 400, 1), ("child", 400, 2))
    )
    learned = paucal.learn(child, "posterior")
    known: dict[str, Any] = {"exogenous": ["BirthAsphyxia", "Disease"], "outcome": ["XrayReport"]}
    paucal.learn(asia).report(folder / "asia.html", data=asia)
    learned.report(folder / "child.html", data=child)
    paucal.learn(child, "pc-stable").report(folder / "child-tests.html", data=child)
    paucal.learn(child, "posterior", **known).report(folder / "child-lanes.html", data=child)
    data, dense = made(74, 178, seed=74)
    dense.report(folder / "dense.html", data=data)
    again = paucal.learn(other, "posterior")
    paucal.write_comparison(learned, again, folder / "compared.html", labels=("first sample", "second sample"))


def main() -> None:
    """Write the pictures into `docs/pictures`: each page from its heading to the end of its graph."""
    folder = Path(tempfile.mkdtemp())
    pages(folder)
    wanted = sys.argv[1:] or list(SHOTS)
    with chromium(folder / "profile") as driver:
        for name in wanted:
            shot = SHOTS[name]
            screen(driver, shot.width, 1000, dark=shot.dark)
            driver.get((folder / f"{shot.page}.html").as_uri())
            driver.execute_script(CHOOSE, shot.edge)
            driver.execute_script(shot.script)
            driver.execute_script("window.scrollTo(0, 0)")
            time.sleep(0.5)  # colours change softly
            end = driver.execute_script("return document.getElementById('graph').getBoundingClientRect().bottom")
            shown = {"x": 0, "y": 0, "width": shot.width, "height": min(int(end) + 16, TALLEST), "scale": 1}
            taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": shown, "captureBeyondViewport": True})
            picture = Image.open(BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
            picture.quantize(256).save(HERE / "pictures" / f"{name}.png", optimize=True)  # a page has few colours


if __name__ == "__main__":
    main()

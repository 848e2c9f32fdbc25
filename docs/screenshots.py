"""Take the pictures of the report page anew: `python docs/screenshots.py`. Needs Chromium and selenium."""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from pathlib import Path

import paucal

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser import chromium, screen  # noqa: E402 - tests/browser.py, which the line above makes known

CHOOSE = """
const edges = [...document.querySelectorAll("[data-edge]")];
edges.find((edge) => edge.textContent.startsWith(arguments[0])).click();
window.scrollTo(0, 0);
"""
SHOTS = {  # name -> network, rows, search, edge to choose, width, dark; the first is the example of the README
    "report-light": ("asia", 500, "auto", "either → xray", 1240, False),
    "report-dark": ("child", 400, "auto", "Grunting → Sick", 1240, True),
    "report-tests": ("child", 400, "pc-stable", "LungParench → ChestXray", 1240, False),
    "report-phone": ("child", 400, "auto", "Grunting → Sick", 390, False),
}
TALLEST = 1500


def main() -> None:
    """Write the pictures into `docs/pictures`: each page from its heading to the end of its graph."""
    folder = Path(tempfile.mkdtemp())
    with chromium(folder / "profile") as driver:
        for name, (network, rows, method, edge, width, dark) in SHOTS.items():
            data = paucal.load_network(network).sample(rows, seed=1)
            page = paucal.learn(data, method).report(folder / f"{name}.html", data=data)
            screen(driver, width, 1000, dark=dark)
            driver.get(page.as_uri())
            driver.execute_script(CHOOSE, edge)
            time.sleep(0.5)  # colours change softly
            end = driver.execute_script("return document.getElementById('graph').getBoundingClientRect().bottom")
            shown = {"x": 0, "y": 0, "width": width, "height": min(int(end) + 16, TALLEST), "scale": 1}
            taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": shown, "captureBeyondViewport": True})
            (HERE / "pictures" / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    main()

"""Take the pictures of the report page anew: `python docs/screenshots.py`. Needs Chromium and selenium."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import paucal

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser import chromium, screen  # noqa: E402 - tests/browser.py, which the line above makes known

CHOOSE = """
const edges = [...document.querySelectorAll("[data-edge]")];
edges.find((edge) => edge.textContent.startsWith("LungParench →")).click();
window.scrollTo(0, 0);
"""
SHOTS = {  # name -> width, height, dark, pixels per point
    "report-light": (1240, 1040, False, 1.0),
    "report-dark": (1240, 1040, True, 1.0),
    "report-phone": (390, 1500, False, 1.0),
}


def main() -> None:
    """Write the pictures into `docs/pictures`."""
    data = paucal.load_network("child").sample(400, seed=1)
    folder = Path(tempfile.mkdtemp())
    page = paucal.learn(data, "pc-stable").report(
        folder / "page.html", data=data, title="Newborns with heart disease"
    )
    with chromium(folder / "profile") as driver:
        for name, (width, height, dark, scale) in SHOTS.items():
            screen(driver, width, height, dark=dark, scale=scale)
            driver.get(page.as_uri())
            driver.execute_script(CHOOSE)
            driver.save_screenshot(str(HERE / "pictures" / f"{name}.png"))


if __name__ == "__main__":
    main()

"""A headless Chromium for tests; they skip, with the reason, where there is none."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager

import pytest

# The last ones keep Chromium from looking for updates and services: a page that asks for anything shall be noticed.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
)


def reason_to_skip() -> str | None:
    """Say what is missing."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            return f"{program} is not installed (on Debian: apt install chromium chromium-driver)"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed (pip install selenium)"
    return None


@contextmanager
def chromium(folder):
    """Start a browser with an empty profile in `folder`."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def screen(driver, width: int, height: int, *, dark: bool = False, media: str = "screen", scale: float = 1) -> None:
    """Give the browser a screen."""
    size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wish = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [wish]})


def requests(driver) -> list[str]:
    """Give the addresses that were asked for since the last time."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


def complaints(driver) -> list[str]:
    """Give what the console said since the last time."""
    return [entry["message"] for entry in driver.get_log("browser")]


def one(driver, selector: str):
    """Give the first element that a selector finds, on a page or in an element."""
    return driver.find_element("css selector", selector)


def every(driver, selector: str):
    """Give all elements that a selector finds."""
    return driver.find_elements("css selector", selector)


def visible_text(driver, selector: str) -> str:
    """Give what a reader sees of an element, blanks as one."""
    return " ".join(one(driver, selector).text.split())


def skip_without_browser() -> None:
    """Skip all tests of a module that has no browser to run in."""
    reason = reason_to_skip()
    if reason is not None:
        pytest.skip(reason, allow_module_level=True)

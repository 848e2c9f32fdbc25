"""The report page in a real browser: no complaint, no request, and every control does what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import paucal
from browser import chromium, complaints, every, one, requests, screen, skip_without_browser, visible_text
from paucal import Graph
from paucal.graphs.drawing.sureness import line_width

skip_without_browser()

from selenium.webdriver import ActionChains, Keys  # noqa: E402 - only where there is a browser

LONG = "long " * 2000
HOSTILE = [
    "<script>document.title = 'owned'</script>",
    "</script><img src=x onerror=alert(1)>",
    LONG,
    "שלום",
    "a\x00\n",
    "😀&",
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages by name, written once."""
    folder = tmp_path_factory.mktemp("pages")
    asia = paucal.load_network("asia")
    data = asia.sample(500, seed=1)
    paucal.learn(data, "pc-stable", test="g").report(folder / "asia.html", data=data)
    alarm = paucal.load_network("alarm").sample(300, seed=1)
    paucal.learn(alarm, "rai", test="g").report(folder / "alarm.html", data=alarm)
    open_data = asia.sample(300, seed=4)
    paucal.learn(open_data).report(folder / "posterior.html", data=open_data)
    paucal.bootstrap(data, "fci", test="g", replicates=20, seed=1).report(folder / "bootstrap.html")
    paucal.blanket(paucal.Oracle(asia.graph), "either").report(folder / "blanket.html")
    dose = np.repeat(np.arange(3), 100)
    weight = 2900.0 + 150 * dose + np.random.default_rng(1).normal(0, 200, 300)
    trial = {"dose": [["none", "the usual one", "twice the usual one"][i] for i in dose], "weight": weight.round(1)}
    paucal.learn(trial, exogenous=["dose"], outcome=["weight"]).report(folder / "numbers.html", data=trial)
    pag = Graph.parse("A o-> B; B <-> C; C -> D; D o-o E", kind="pag")
    oracle = paucal.Oracle(Graph.dag("ABCDE"))
    replace(paucal.learn(oracle), graph=pag).report(folder / "pag.html")
    chain = Graph.dag(HOSTILE, [(HOSTILE[i], HOSTILE[i + 1]) for i in range(5)])
    paucal.learn(paucal.Oracle(chain)).report(folder / "hostile.html", title=LONG)
    paucal.learn(paucal.Oracle(Graph.dag("A"))).report(folder / "alone.html")
    return folder


@pytest.fixture
def opened(browser, pages):
    """Open a page on a fresh desktop screen; afterwards nothing may have complained or asked the network."""
    screen(browser, 1280, 900)
    browser.get("about:blank")
    complaints(browser), requests(browser)

    def open_page(name: str):
        browser.get((pages / f"{name}.html").as_uri())
        return browser

    yield open_page
    assert complaints(browser) == []
    assert {url.partition(":")[0] for url in requests(browser)} <= {"file", "data", "blob"}


def edge_number(driver, a: str, b: str) -> int:
    written = [" ".join(link.text.split()) for link in every(driver, "[data-edge]")]
    (k,) = [k for k, line in enumerate(written) if line.startswith(f"{a} ") and line.endswith(f" {b}")]
    return k


def node(driver, name: str):
    (found,) = [g for g in every(driver, "g.node") if g.text == name]
    return one(found, "rect")


_FREE_POINT = """
const edge = document.querySelectorAll('g.edge')[arguments[0]];
const line = edge.querySelector('.hit');
line.scrollIntoView({block: 'center'});
for (const part of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) {
  const p = line.getPointAtLength(line.getTotalLength() * part).matrixTransform(line.getScreenCTM());
  if (edge.contains(document.elementFromPoint(p.x, p.y))) return [Math.round(p.x), Math.round(p.y)];
}
return null;
"""


def click_edge(driver, k: int):
    """Click on the line, where no other crosses it."""
    actions = ActionChains(driver)
    actions.w3c_actions.pointer_action.move_to_location(*driver.execute_script(_FREE_POINT, k))
    actions.w3c_actions.pointer_action.click()
    actions.perform()


_VIEW = "return document.querySelector('#drawing svg').getAttribute('viewBox')"


def view_box(driver) -> list[float]:
    return [float(v) for v in driver.execute_script(_VIEW).split()]


# ------------------------------------------------------------------------------------------------------ loading


@pytest.mark.parametrize("name", ["asia", "alarm", "posterior", "bootstrap", "blanket", "pag", "hostile", "alone"])
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_pages_load_in_silence_and_fit_the_screen(opened, browser, name, width, dark):
    screen(browser, width, 844, dark=dark)
    driver = opened(name)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(v) for v in ground.removeprefix("rgb(").removesuffix(")").split(", "))
    assert (brightness < 200) == dark


@pytest.mark.parametrize("width", [1265, 1000, 390])
def test_effects_on_a_number_stay_within_their_column(opened, browser, width):
    screen(browser, width, 844)
    driver = opened("numbers")
    assert "mean " in one(driver, ".effects .num").text
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    wide = (
        "return [...document.querySelectorAll('.effects table')].some(t => t.offsetWidth > t.parentElement.clientWidth)"
    )
    assert not driver.execute_script(wide)


def test_hostile_names_are_shown_and_do_nothing(opened):
    driver = opened("hostile")
    assert driver.title.startswith("long")
    assert not every(driver, "img")
    shown = [g.text for g in every(driver, "g.node text")]
    assert shown[0].startswith("<script>document.titl")
    for k in range(len(every(driver, "g.edge"))):
        click_edge(driver, k)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 1280
    names = driver.execute_script("return JSON.parse(document.getElementById('content').textContent).nodes")
    assert names == HOSTILE


def test_without_script_the_page_is_still_complete(opened, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver = opened("asia")
        assert len(every(driver, "g.node")) == 8
        assert one(driver, "#edges table").is_displayed()
        assert not one(driver, "#tools").is_displayed()
        assert not one(driver, "#panel").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


# ----------------------------------------------------------------------------------------------------- choosing


def test_clicking_an_edge_tells_its_tests(opened, browser):
    driver = opened("asia")
    k = edge_number(driver, "tub", "either")
    click_edge(driver, k)
    assert visible_text(driver, "#told h3") == "tub → either"
    told = visible_text(driver, "#told")
    assert "direct cause" in told and "does not contain either" in told and "The tests that kept it" in told
    result = paucal.learn(paucal.load_network("asia").sample(500, seed=1), "pc-stable", test="g")
    assert len(every(driver, "#told .wide tbody tr")) == len(result.why("tub", "either").tests)
    assert "chosen" in every(driver, "g.edge")[k].get_attribute("class")
    assert [row.text.split(" ")[0] for row in every(driver, "#edges tr.chosen")] == ["tub"]
    size = one(driver, "#drawing").size
    corner = (15 - size["width"] // 2, size["height"] // 2 - 15)
    ActionChains(driver).move_to_element_with_offset(one(driver, "#drawing"), *corner).click().perform()
    assert visible_text(driver, "#told") == "Nothing is chosen."
    assert not every(driver, "g.chosen")


def test_every_edge_can_be_clicked(opened):
    driver = opened("alarm")
    for k, link in enumerate(every(driver, "[data-edge]")):
        click_edge(driver, k)
        assert visible_text(driver, "#told h3") == " ".join(link.text.split())


def test_two_columns_are_explained(opened):
    driver = opened("asia")
    node(driver, "smoke").click()
    assert visible_text(driver, "#told h3") == "smoke"
    assert len(every(driver, "#told li")) == 2
    ActionChains(driver).key_down(Keys.SHIFT).click(node(driver, "dysp")).key_up(Keys.SHIFT).perform()
    assert visible_text(driver, "#told h3") == "smoke and dysp"
    assert "independent given bronc" in visible_text(driver, "#told")
    assert [g.text for g in every(driver, "g.node.between")] == ["bronc"]
    assert {g.text for g in every(driver, "g.node.chosen")} == {"smoke", "dysp"}


def test_two_columns_are_chosen_by_name(opened):
    driver = opened("asia")
    one(driver, "#first").send_keys("asia")
    assert visible_text(driver, "#told h3") == "asia"
    one(driver, "#second").send_keys("tub")
    assert visible_text(driver, "#told h3") == "asia and tub"
    one(driver, "#first").send_keys("either")
    assert visible_text(driver, "#told h3") == "tub → either"


def test_an_edge_of_the_table_leads_to_the_graph(opened):
    driver = opened("alarm")
    link = every(driver, "[data-edge]")[5]
    link.send_keys(Keys.ENTER)
    assert visible_text(driver, "#told h3") == " ".join(link.text.split())
    top = driver.execute_script("return document.getElementById('graph').getBoundingClientRect().top")
    assert abs(top) < 5


def test_an_absence_of_the_table_leads_to_the_graph(opened):
    driver = opened("asia")
    one(driver, "[data-pair]").click()
    assert visible_text(driver, "#told h3") == visible_text(driver, "[data-pair]")
    assert "Not joined" in visible_text(driver, "#told")


def test_hovering_tells_the_nearest_test(opened):
    driver = opened("asia")
    ActionChains(driver).move_to_element(node(driver, "tub")).perform()
    assert visible_text(driver, "#tip") == "tub"
    click_edge(driver, edge_number(driver, "tub", "either"))
    assert "nearest to removal: p = " in visible_text(driver, "#tip")
    ActionChains(driver).move_to_element(one(driver, "h1")).perform()
    assert not one(driver, "#tip").is_displayed()


def test_probabilities_are_told_and_drawn(opened):
    driver = opened("posterior")
    result = paucal.learn(paucal.load_network("asia").sample(300, seed=4))
    for k, edge in enumerate(result.graph.edges()):
        click_edge(driver, k)
        known = result.evidence.of_pair(edge.a, edge.b)
        kinds = {line.split()[1] for line in visible_text_lines(driver, ".shares tr")[:-1]}
        assert len(kinds) == sum(share > 0 for kind, share in known.items() if kind != "absent")
        assert "(score eb)" in visible_text(driver, "#told")
        assert "No test was asked" not in visible_text(driver, "#told")
        line = every(driver, "g.edge")[k].find_element("css selector", "path.seen")
        assert float(line.get_attribute("stroke-width")) == line_width(1 - known["absent"])
        assert "as drawn " in visible_text(driver, "#tip")
    left_out = result.near_misses()
    assert left_out and len(every(driver, "g.faint")) == len(left_out)
    driver.execute_script("arguments[0].dispatchEvent(new Event('click'))", every(driver, "g.faint")[0])
    a, b, _ = left_out[0]
    assert visible_text(driver, "#told h3") == f"{a} and {b}"
    assert visible_text(driver, "#questions li").startswith(str(result.open_questions()[0])[:20])


def visible_text_lines(driver, selector: str) -> list[str]:
    return [element.text for element in every(driver, selector)]


@pytest.mark.parametrize("name", ["posterior", "bootstrap"])
def test_a_pair_that_nearly_made_it_leads_to_the_graph(opened, name):
    driver = opened(name)
    link = one(driver, "#near [data-pair]")
    first, _, second = link.text.split()
    likely = visible_text(driver, "#near tbody tr td:nth-child(2)")
    link.click()
    assert visible_text(driver, "#told h3") == f"{first} and {second}"
    *shares, absent = visible_text_lines(driver, ".shares tr")
    assert absent.startswith("no edge") and all(line.startswith(f"{first} ") for line in shares)
    assert abs(100 - int(absent.split()[-2]) - int(likely.split()[-2])) <= 1
    before = dict(line.removeprefix(f"{first} ").split(f" {second} ") for line in shares)
    one(driver, "#first").send_keys(second)
    one(driver, "#second").send_keys(first)
    *shares, _ = visible_text_lines(driver, ".shares tr")
    after = dict(line.removeprefix(f"{second} ").split(f" {first} ") for line in shares)
    turned = {"→": "←", "←": "→", "o→": "←o", "←o": "o→"}
    assert after == {turned.get(sign, sign): value for sign, value in before.items()}


def test_the_target_of_a_blanket_stands_out(opened):
    driver = opened("blanket")
    assert [g.text for g in every(driver, "g.node.target")] == ["either"]
    assert {g.text for g in every(driver, "g.node.member")} == {"tub", "lung", "xray", "dysp", "bronc"}


def test_marks_of_a_pag_are_told(opened):
    driver = opened("pag")
    click_edge(driver, edge_number(driver, "A", "B"))
    assert "B is not a cause of A" in visible_text(driver, "#told")


# ------------------------------------------------------------------------------------------ zooming, keys, sorting


def test_buttons_and_wheel_zoom_and_dragging_moves(opened):
    driver = opened("asia")
    start = view_box(driver)
    one(driver, "[data-do=in]").click()
    nearer = view_box(driver)
    assert nearer[2] < start[2] and nearer[0] > start[0]
    drawing = one(driver, "#drawing")
    ActionChains(driver).move_to_element(drawing).click_and_hold().move_by_offset(60, 30).release().perform()
    dragged = view_box(driver)
    assert dragged[0] < nearer[0] and dragged[1] < nearer[1] and dragged[2] == nearer[2]
    assert visible_text(driver, "#told") == "Nothing is chosen."
    wheel = (
        "arguments[0].dispatchEvent(new WheelEvent('wheel',"
        " {deltaY: -50, ctrlKey: arguments[1], clientX: 400, clientY: 500, cancelable: true}))"
    )
    driver.execute_script(wheel, drawing, False)
    assert view_box(driver) == dragged
    driver.execute_script(wheel, drawing, True)
    assert view_box(driver)[2] < dragged[2]
    one(driver, "[data-do=fit]").click()
    assert view_box(driver) == start


def test_the_keyboard_reaches_everything(opened):
    driver = opened("asia")
    drawing = one(driver, "#drawing")
    start = view_box(driver)
    for key, change in (("+", 2), ("-", 2), (Keys.ARROW_RIGHT, 0), (Keys.ARROW_DOWN, 1)):
        before = view_box(driver)
        drawing.send_keys(key)
        assert view_box(driver)[change] != before[change]
    drawing.send_keys("0")
    assert view_box(driver) == start
    first, *_, last = [" ".join(link.text.split()) for link in every(driver, "[data-edge]")]
    drawing.send_keys("n")
    assert visible_text(driver, "#told h3") == first
    drawing.send_keys("p")
    assert visible_text(driver, "#told h3") == last
    drawing.send_keys(Keys.ESCAPE)
    assert visible_text(driver, "#told") == "Nothing is chosen."


def test_tables_sort_both_ways(opened):
    driver = opened("alarm")
    heads = every(driver, "#edges th button")
    column = [head.text for head in heads].index("p-value")

    def values():
        cells = every(driver, f"#edges tbody td:nth-child({column + 1})")
        return [float(cell.get_attribute("data-value") or "inf") for cell in cells]

    heads[column].click()
    assert values() == sorted(values())
    heads[column].click()
    known = [v for v in values() if v != float("inf")]
    assert known == sorted(known, reverse=True) and values()[: len(known)] == known
    heads[0].click()
    causes = [cell.text.split()[0] for cell in every(driver, "#edges tbody td:first-child")]
    assert causes == sorted(causes)
    assert one(driver, "#edges th[aria-sort]").get_attribute("aria-sort") == "ascending"


def test_light_and_dark_at_will(opened):
    driver = opened("asia")
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = driver.execute_script(ground)
    one(driver, "#theme").click()
    assert driver.execute_script(ground) != light
    one(driver, "#theme").click()
    assert driver.execute_script(ground) == light


def test_on_paper_the_tools_are_gone_and_all_is_open(opened, browser):
    driver = opened("asia")
    one(driver, "[data-do=in]").click()
    screen(browser, 800, 1100, media="print")
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    for selector in ("#tools", "#pair", "#theme"):
        assert not one(driver, selector).is_displayed()
    assert view_box(driver)[:2] == [0, 0]
    assert one(driver, "details table").is_displayed()
    paper = driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert len(paper) > 10_000
    screen(browser, 1280, 900)


def test_two_fingers_zoom(opened, browser):
    screen(browser, 390, 844)
    driver = opened("asia")
    one(driver, "#unfold").click()
    before = view_box(driver)
    box = driver.execute_script(
        "const d = document.getElementById('drawing'); d.scrollIntoView({block: 'center'});"
        "const b = d.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]"
    )
    x, y = box
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        for kind, gap in (("touchStart", 30), ("touchMove", 45), ("touchMove", 60), ("touchEnd", None)):
            points = [] if gap is None else [{"x": x - gap, "y": y, "id": 0}, {"x": x + gap, "y": y, "id": 1}]
            driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert view_box(driver)[2] < before[2]


def test_the_drawing_is_saved_in_its_plain_colours(opened, browser):
    driver = opened("asia")
    saved = driver.execute_async_script(
        "const done = arguments[0]; const make = URL.createObjectURL;"
        "URL.createObjectURL = (file) => { file.text().then(done); return make.call(URL, file); };"
        "document.querySelector('[data-do=save]').click();"
    )
    assert saved.startswith("<svg") and 'fill="#eef3f8"' in saved and ">either<" in saved

"""The page at 8, 37, 74 and 100 columns in a real browser: readable labels, parts of the graph, all by keyboard."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import paucal
from browser import chromium, complaints, every, one, requests, screen, skip_without_browser, visible_text
from made_results import made
from paucal.graphs.language import in_percent
from paucal.report import write_comparison

skip_without_browser()

from selenium.webdriver import ActionChains, Keys  # noqa: E402 - only where there is a browser
from selenium.webdriver.support.ui import Select  # noqa: E402

SIZES = {8: 7, 37: 46, 74: 178, 100: 120}  # columns -> edges
KNOWN = {"exogenous": ["BirthAsphyxia", "Disease"], "outcome": ["XrayReport", "LowerBodyO2"]}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def results():
    """Results by the number of their columns, with their data; and one that was learned with an outcome."""
    found = {n: made(n, edges, seed=n) for n, edges in SIZES.items()}
    child = paucal.load_network("child").sample(400, seed=1)
    found |= {
        "child": (child, paucal.learn(child, "posterior")),
        "lanes": (child, paucal.learn(child, "posterior", **KNOWN)),
        "trial": trial(),
    }
    return found | {"alike": alike(), "alone": alone(), "equal": equal(), "crowded": made(30, 300, seed=3)}


def trial():
    """A small trial with long names and a number as its outcome: a broad graph."""
    rng = np.random.default_rng(2)
    smoke, drug = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    cough = np.where(rng.random(200) < 0.85, smoke, 1 - smoke)
    table = {
        "smokes at the first visit": smoke.tolist(),
        "cough in the winter months": np.array(["never", "often"])[cough].tolist(),
        "visits to a doctor in spring": np.where(rng.random(200) < 0.85, cough, 1 - cough).tolist(),
        "group": np.array(["placebo", "drug"])[drug].tolist(),
        "litres of breath": np.round(3 - 0.6 * cough + 0.5 * drug + 0.4 * rng.normal(size=200), 2).tolist(),
    }
    order = {"cough in the winter months": ["never", "often"]}
    data = paucal.Dataset.of(table, order=order)
    known = {"randomised": ["group"], "outcome": ["litres of breath"], "exogenous": ["smokes at the first visit"]}
    return data, paucal.learn(data, "posterior", **known)


def alike():
    """Questions of a survey, which begin with the same words."""
    draw = np.random.default_rng(1)
    first = draw.integers(0, 2, 200)
    begins = "How often in the past twelve months have you felt that you could not control things (item {} of 4)"
    columns = {begins.format(k): np.where(draw.random(200) < 0.9, first, 1 - first).tolist() for k in range(1, 5)}
    data = paucal.Dataset.of(columns)
    return data, paucal.learn(data, "posterior")


def alone():
    """Four columns without an edge, of which the first and the last may be joined."""
    data, result = made(4, 0, seed=1)
    for shares in result.evidence.shares.values():
        shares[:] = 0
    result.evidence.shares["--"][0, 3] = result.evidence.shares["--"][3, 0] = 0.45
    return data, result


def equal():
    """Fifty columns in a row, all joined surely; only the last arrow is sure. One more is background."""
    data, result = made(50, 0, seed=1, exogenous=["Weight4"])
    names, n = result.graph.nodes, 49
    graph = paucal.Graph.pdag(names, [(names[n - 2], names[n - 1])], list(pairwise(names[: n - 1])))
    arrow, line = np.zeros((50, 50)), np.zeros((50, 50))
    for i in range(n - 2):
        arrow[i, i + 1] = arrow[i + 1, i] = 0.3
        line[i, i + 1] = line[i + 1, i] = 0.4
    arrow[n - 2, n - 1] = 1.0
    return data, replace(result, graph=graph, evidence=replace(result.evidence, shares={"->": arrow, "--": line}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory, results):
    """Pages by name, written once."""
    folder = tmp_path_factory.mktemp("sizes")
    for name, (data, result) in results.items():
        result.report(folder / f"{name}.html", data=data)
    other = made(37, 46, seed=38)[1]
    write_comparison(results[37][1], other, folder / "compared.html", labels=("<b>one</b>", "two"))
    return folder


@pytest.fixture
def opened(browser, folder):
    """Open a page on a fresh desktop screen; afterwards nothing may have complained or asked the network."""
    screen(browser, 1280, 900)
    browser.get("about:blank")
    complaints(browser), requests(browser)

    def open_page(name):
        browser.get((folder / f"{name}.html").as_uri())
        return browser

    yield open_page
    assert complaints(browser) == []
    assert {url.partition(":")[0] for url in requests(browser)} <= {"file", "data", "blob"}


def content(driver):
    return json.loads(driver.execute_script("return document.getElementById('content').textContent"))


def heights(driver, selector: str) -> list[float]:
    """The font sizes of texts in a drawing, in pixels of the screen."""
    return driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(t =>"
        " parseFloat(getComputedStyle(t).fontSize) * (m => Math.hypot(m.a, m.b))(t.getScreenCTM()))",
        selector,
    )


def shown(driver) -> list[str]:
    return [g.get_attribute("data-node") for g in every(driver, "g.node")]


def edges_shown(driver) -> list[int]:
    return [int(g.get_attribute("data-k")) for g in every(driver, "g.edge")]


# ------------------------------------------------------------------------------------------------- what is seen


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (800, True), (390, False)])
def test_labels_are_ten_pixels_high_or_more(opened, browser, n, width, dark):
    screen(browser, width, 900, dark=dark)
    driver = opened(n)
    if width < 600:
        one(driver, "#unfold").click()
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    sizes = heights(driver, "#drawing text")
    assert len(sizes) >= min(n, 20) and min(sizes) >= 10 - 1e-6
    for _ in range(12):
        one(driver, "[data-do=out]").click()
    assert min(heights(driver, "#drawing text")) >= 10 - 1e-6


@pytest.mark.parametrize("n", SIZES)
def test_large_graphs_begin_with_a_part(opened, n):
    driver = opened(n)
    assert len(shown(driver)) == (n if n <= 40 else 25)
    assert one(driver, "#focused").is_displayed() == (n > 40)
    assert one(driver, "#views").is_displayed() == (n > 12)


def test_very_dense_graphs_begin_with_a_few_columns_and_never_with_nothing(opened):
    driver = opened("crowded")
    assert len(shown(driver)) == 8
    one(driver, "#focused button").click()
    frame, seen = one(driver, "#drawing").rect, [g.rect for g in every(driver, "g.node")]
    assert len(seen) == 30
    assert any(0 <= r["x"] - frame["x"] <= frame["width"] and 0 <= r["y"] - frame["y"] <= frame["height"] for r in seen)


@pytest.mark.parametrize("n", [74, 100])
def test_everything_can_be_shown(opened, n):
    driver = opened(n)
    one(driver, "#focused button").click()
    assert len(shown(driver)) == n and len(edges_shown(driver)) == SIZES[n]
    assert min(heights(driver, "#drawing text")) >= 10 - 1e-6
    Select(one(driver, "#amount")).select_by_value("8")
    assert len(shown(driver)) == 8


def test_of_equally_strong_edges_the_surest_arrow_is_shown(opened):
    driver = opened("equal")
    assert [shown(driver).count(node) for node in ("47", "48")] == [1, 1]
    assert not every(driver, "#drawing .lane")  # all that is shown lies in one lane


def test_long_names_that_begin_alike_are_told_apart(opened, results):
    names = results["alike"][1].graph.nodes
    driver = opened("alike")
    labels = [g.text for g in every(driver, "g.node")]
    assert len(set(labels)) == len(names) and all(len(label) <= 22 for label in labels)
    links = [link.text for link in every(driver, "[data-edge]")]
    assert len(set(links)) == len(links)
    assert max(len(bdi.text) for bdi in every(driver, "#answer bdi.name")) <= 40
    one(driver, "[data-edge]").click()
    assert all(len(bdi.text) <= 40 for bdi in every(driver, "#told h3 bdi.name"))
    one(driver, "details:has(table) summary").click()
    assert [bdi.text for bdi in every(driver, "details bdi.full")] == list(names)


def test_a_faint_line_runs_past_the_boxes_between_its_ends(opened):
    driver = opened("alone")
    covered = driver.execute_script(
        "const line = document.querySelector('g.faint path'); const found = [];"
        "const boxes = [...document.querySelectorAll('g.node rect')].map(r => r.getBBox()).slice(1, 3);"
        "for (let t = 0; t <= 1; t += 0.02) { const p = line.getPointAtLength(t * line.getTotalLength());"
        " if (boxes.some(b => p.x > b.x && p.x < b.x + b.width && p.y > b.y && p.y < b.y + b.height)) found.push(t); }"
        "return found"
    )
    assert covered == []
    assert visible_text(driver, "#legend") == "left out, but 30 % or more"


_VIEW = "return document.querySelector('#drawing svg').getAttribute('viewBox')"


def test_faint_lines_stay_in_the_drawing(opened):
    for name in ("child", "alone", 8):
        driver = opened(name)
        assert not one(driver, "#outside").is_displayed()
        left, top, width, height = map(float, driver.execute_script(_VIEW).split())
        boxes = driver.execute_script(
            "return [...document.querySelectorAll('g.faint path')].map(p => p.getBBox())"
            ".map(b => [b.x, b.y, b.width, b.height])"
        )
        assert boxes
        for x, y, w, h in boxes:
            assert x >= left and y >= top and x + w <= left + width and y + h <= top + height


def test_lines_turn_only_where_their_points_do(opened):
    """A line that swings beyond the points it leads through is cut off at the rim of the drawing."""
    driver = opened(37)
    for path in every(driver, "g.edge path.seen"):
        numbers = [float(v) for v in re.findall(r"-?[\d.]+", path.get_attribute("d"))]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        for start, one_control, other_control, end in zip(
            points[::3], points[1::3], points[2::3], points[3::3], strict=False
        ):
            for axis in (0, 1):
                low, high = sorted((start[axis], end[axis]))
                assert low - 0.2 <= min(one_control[axis], other_control[axis])
                assert max(one_control[axis], other_control[axis]) <= high + 0.2


def test_boxes_do_not_overlap(opened):
    driver = opened(74)
    boxes = driver.execute_script(
        "return [...document.querySelectorAll('g.node rect')].map(r =>"
        " ['x', 'y', 'width', 'height'].map(a => +r.getAttribute(a)))"
    )
    for i, (x, y, w, h) in enumerate(boxes):
        for u, v, a, b in boxes[:i]:
            assert x >= u + a or u >= x + w or y >= v + b or v >= y + h


def test_the_outcome_is_the_centre_of_a_large_graph(browser, tmp_path):
    _, result = made(60, 80, seed=1, outcome=["Sleep5"])
    result.report(tmp_path / "page.html")
    screen(browser, 1280, 900)  # whatever a test before has left
    browser.get((tmp_path / "page.html").as_uri())
    assert [g.text for g in every(browser, "g.node.centre")] == ["Sleep5"]
    assert "those nearest to Sleep5" in visible_text(browser, "#focused")


# ----------------------------------------------------------------------------------------------------- focusing


def test_a_column_is_found_and_its_surroundings_shown(opened):
    driver = opened(74)
    names = content(driver)["nodes"]
    find = one(driver, "#find")
    find.send_keys("choleST", Keys.ENTER)
    centre = names.index("Cholesterol")
    assert visible_text(driver, "#told h3") == "Cholesterol"
    assert str(centre) in shown(driver) and len(shown(driver)) <= 25
    near = {b if a == centre else a for a, b, _ in content(driver)["edges"] if centre in (a, b)}
    assert {str(node) for node in near} <= set(shown(driver))
    Select(one(driver, "#amount")).select_by_value("8")
    assert len(shown(driver)) == 8
    find.clear()
    find.send_keys("no such thing", Keys.ENTER)
    assert len(shown(driver)) == 8


def test_the_slider_hides_what_is_less_likely(opened):
    driver = opened(37)
    likely = {(a, b): p for a, b, p in content(driver)["joined"]}
    slide = "const s = document.getElementById('least'); s.value = 90; s.dispatchEvent(new Event('input'))"
    driver.execute_script(slide)
    edges = content(driver)["edges"]
    wanted = [k for k, (a, b, _) in enumerate(edges) if likely[min(a, b), max(a, b)] >= 0.9]
    assert 0 < len(wanted) < len(edges) and edges_shown(driver) == wanted
    assert visible_text(driver, "#least-told") == "90 % or more"


def test_columns_without_edges_and_groups(opened):
    driver = opened(100)
    one(driver, "#focused button").click()
    met = {node for a, b, _ in content(driver)["edges"] for node in (a, b)}
    one(driver, "#lonely").click()
    assert {int(node) for node in shown(driver)} == met
    groups = content(driver)["groups"]
    k = next(k for k, (label, _) in enumerate(groups) if label == "Sleep…")
    Select(one(driver, "#group")).select_by_value(str(k))
    assert {int(node) for node in shown(driver)} <= set(groups[k][1])


def test_the_matrix_has_every_likely_pair(opened):
    driver = opened(74)
    one(driver, "[data-view=matrix]").click()
    pairs = content(driver)["joined"]
    assert len(every(driver, "#matrix .pair")) == 2 * len(pairs)
    assert len(every(driver, "#matrix .drawn")) == 2 * SIZES[74]
    assert min(heights(driver, "#matrix text")) >= 10 - 1e-6
    assert not one(driver, "#drawing").is_displayed()
    driver.execute_script("document.querySelector('#matrix .pair').dispatchEvent(new Event('click'))")
    a, b = (content(driver)["nodes"][i] for i in pairs[0][:2])
    told = visible_text(driver, "#told h3")
    assert a in told and b in told
    one(driver, "[data-view=graph]").click()
    assert one(driver, "#drawing").is_displayed()


def test_the_matrix_is_read_with_the_keyboard(opened):
    driver = opened(74)
    known = content(driver)
    one(driver, "[data-view=matrix]").send_keys(Keys.ENTER)
    for _ in range(10):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        if driver.execute_script("return document.activeElement.id") == "matrix":
            break
    ActionChains(driver).send_keys("n").perform()
    a, b, _ = max(known["joined"], key=lambda pair: pair[2])
    pointed = one(driver, "#pointed").text
    assert pointed.startswith(f"{known['nodes'][a]} and {known['nodes'][b]}: joined ")
    assert one(driver, "#matrix .cursor").is_displayed()
    ActionChains(driver).send_keys(Keys.ARROW_DOWN).perform()
    assert one(driver, "#pointed").text != pointed
    ActionChains(driver).send_keys(Keys.ARROW_UP, Keys.ENTER).perform()
    told = visible_text(driver, "#told h3")
    assert known["nodes"][a] in told and known["nodes"][b] in told


def test_a_pair_that_is_not_shown_is_brought_in(opened):
    driver = opened(100)
    hidden = [i for i in range(100) if str(i) not in shown(driver)]
    Select(one(driver, "#first")).select_by_value(str(hidden[0]))
    Select(one(driver, "#second")).select_by_value(str(hidden[-1]))
    assert {str(hidden[0]), str(hidden[-1])} <= set(shown(driver))
    assert len(shown(driver)) <= 26


def test_the_keyboard_alone_finds_explains_and_says(opened):
    driver = opened(74)
    active = "return document.activeElement.id"
    for _ in range(40):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        if driver.execute_script(active) == "drawing":
            break
    assert driver.execute_script(active) == "drawing"
    ActionChains(driver).send_keys("n").perform()
    first = visible_text(driver, "#told h3")
    ActionChains(driver).send_keys("n").perform()
    assert visible_text(driver, "#told h3") != first
    ActionChains(driver).send_keys("f").perform()
    assert driver.execute_script(active) == "find"
    ActionChains(driver).send_keys("Sleep4", Keys.ENTER).perform()
    assert visible_text(driver, "#told h3") == "Sleep4"
    one(driver, "#told li button").send_keys(Keys.ENTER)
    assert "Sleep4" in visible_text(driver, "#told h3")
    one(driver, ".saying button").send_keys(Keys.ENTER)
    assert one(driver, "#said").is_displayed()


# -------------------------------------------------------------------------------------------- lanes, edges, saying


def test_lanes_run_from_left_to_right(opened):
    driver = opened("lanes")
    known = content(driver)
    assert known["lanes"]["labels"] == ["background", "other columns", "outcome"]
    places = {
        int(g.get_attribute("data-node")): float(one(g, "text").get_attribute("x")) for g in every(driver, "g.node")
    }
    lanes = [[places[i] for i, lane in enumerate(known["lanes"]["of"]) if lane == k] for k in range(3)]
    assert max(lanes[0]) < min(lanes[1]) and max(lanes[1]) < min(lanes[2])
    assert [t.text for t in every(driver, ".lane-head")] == known["lanes"]["labels"]


def test_what_stands_behind_an_edge(opened, results):
    driver = opened("lanes")
    data, result = results["lanes"]
    edge = max(
        (e for e in result.graph.edges() if e.symbol == "->"),
        key=lambda e: result.evidence.edge_columns(e)["probability_of_marks"],
    )
    k = result.graph.edges().index(edge)
    driver.execute_script("document.querySelector(`[data-edge='${arguments[0]}']`).click()", k)
    told = visible_text(driver, "#told")
    rows = [int(cell.text) for cell in every(driver, "#told .crossed td.num")]
    x = data.columns[data.index(edge.a)]
    assert sorted(rows) == sorted(np.bincount(x)[np.bincount(x) > 0].tolist())
    assert f"{edge.b} by {edge.a}" in told
    assert "400 of 400 rows have both values" in told and "Cramér's V" in told
    effect = result.effect(edge.a, edge.b, data=data)
    graphs = f"in {round(effect.probability * len(effect.draws))} of {len(effect.draws)} sampled graphs"
    assert graphs in told and "percentage points" in told and "such intervals contained it for" in told
    assert "A calibrated test (chi2-perm)" in told


def test_what_is_said_becomes_a_recipe(opened, results):
    driver = opened("lanes")
    data, result = results["lanes"]
    named = set(result.knowledge.names)
    edge = next(e for e in result.graph.edges() if not named & {e.a, e.b})
    k = result.graph.edges().index(edge)
    driver.execute_script("document.querySelector(`[data-edge='${arguments[0]}']`).click()", k)
    buttons = every(driver, ".saying button")
    assert [b.text for b in buttons[-2:]] == [edge.a, edge.b]
    buttons[0].click()  # a cannot cause b
    assert visible_text(driver, "#said-list li").startswith(f"{edge.a} cannot cause {edge.b}")
    recipe = paucal.Recipe.from_toml(one(driver, "#said-recipe").text)
    assert recipe.knowledge.forbidden == ((edge.a, edge.b),)
    assert recipe.knowledge.outcome == result.knowledge.outcome and recipe.seed == result.recipe.seed
    buttons[2].click()  # a must cause b: takes the other back
    recipe = paucal.Recipe.from_toml(one(driver, "#said-recipe").text)
    assert recipe.knowledge.required == ((edge.a, edge.b),) and not recipe.knowledge.forbidden
    assert "--recipe recipe.toml --report page.html" in one(driver, "#said-command").text
    again = paucal.Recipe.from_toml(one(driver, "#said-recipe").text).run(data)
    assert str(again.graph.edge(edge.a, edge.b)) == f"{edge.a} -> {edge.b}"
    buttons[4].click()  # a is earlier than b
    assert paucal.Recipe.from_toml(one(driver, "#said-recipe").text).knowledge.forbidden == ((edge.b, edge.a),)
    one(driver, "#said-clear").click()
    assert not one(driver, "#said").is_displayed()


# ------------------------------------------------------------------------------------------------ phone and paper


def test_on_a_phone_the_list_comes_before_the_graph(opened, browser):
    screen(browser, 390, 844)
    driver = opened(37)
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    order = [driver.execute_script(top, selector) for selector in ("#answer", "#edges", "#graph")]
    assert order == sorted(order)
    assert not one(driver, "#canvas").is_displayed() and not one(driver, "#panel").is_displayed()
    one(driver, "[data-edge]").click()
    assert one(driver, "#told h3").is_displayed()
    one(driver, "#unfold").click()
    assert len(shown(driver)) == 37 and one(driver, "#drawing").is_displayed()


@pytest.mark.parametrize("width", [390, 1280])
def test_paper_has_no_leftovers(opened, browser, width):
    screen(browser, width, 900)
    driver = opened(37)
    screen(browser, 800, 1100, media="print", dark=True)
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"  # whatever the reader's screen looks like
    for selector in ("#focus", "#tools", "#pair", "#theme", "#panel", "#unfold", "#said", ".keys"):
        assert not one(driver, selector).is_displayed(), selector
    assert one(driver, "#drawing svg").is_displayed() and one(driver, "#edges table").is_displayed()
    text = one(driver, "body").text
    assert "Nothing is chosen" not in text and "Choose an edge" not in text
    paper = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert paper.startswith(b"%PDF") and b"/Subtype /Image" not in paper
    screen(browser, 1280, 900)


def test_a_graph_that_is_broader_than_a_sheet_lies_on_its_side(opened, browser):
    driver = opened("trial")
    screen(browser, 720, 1000, media="print")
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    (sheet,) = every(driver, "#drawing > svg")
    assert "turned" in sheet.get_attribute("class").split()
    assert min(heights(driver, "#drawing text")) >= 10 - 1e-6
    outside = driver.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        "return [...document.querySelectorAll('g.node rect')].map(r => r.getBoundingClientRect()).filter("
        " r => r.left < box.left - 1 || r.right > box.right + 1"
        " || r.top < box.top - 1 || r.bottom > box.bottom + 1).length",
        sheet,
    )
    assert outside == 0
    assert not any(part.is_displayed() for part in every(driver, "#run .raw"))  # numbers for machines
    assert {part.tag_name for part in every(driver, "#run .facts > .raw")} == {"dt", "dd"}
    colours = "return getComputedStyle(document.querySelector('.key')).printColorAdjust"
    assert driver.execute_script(colours) == "exact"  # else the key to the bars is empty squares
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    screen(browser, 1280, 900)
    assert not every(driver, "#drawing > svg.turned")


def test_numbers_of_effects_stand_on_one_line(opened, browser):
    for width in (1280, 390):
        screen(browser, width, 844)
        driver = opened("trial")
        lines = driver.execute_script(
            "return [...document.querySelectorAll('.effects td.num')].map(td =>"
            " [td.clientHeight, td.textContent, parseFloat(getComputedStyle(td).lineHeight)])"
        )
        assert lines and all(height < 2.5 * line for height, _, line in lines)
        assert any(text.startswith("mean ") for _, text, _ in lines)


@pytest.mark.parametrize("n", SIZES)
def test_tables_fit_the_sheet_and_nothing_waits_to_be_opened(opened, browser, n):
    screen(browser, 718, 1000, media="print")
    driver = opened(n)
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    beyond = "return [...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > 718).length"
    assert driver.execute_script(beyond) == 0
    assert not any(summary.is_displayed() for summary in every(driver, ".doubts summary"))
    title, drawing = (one(driver, part).rect for part in ("#graph > h2", "#drawing"))
    assert title["y"] + title["height"] <= drawing["y"]
    screen(browser, 1280, 900)


@pytest.mark.parametrize("n", SIZES)
def test_labels_can_be_read_on_paper(opened, browser, n):
    driver = opened(n)
    if n > 40:
        one(driver, "#focused button").click()  # all of it
    screen(browser, 720, 1000, media="print")  # a sheet without its margins
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert min(heights(driver, "#drawing text")) >= 10 - 1e-6
    parts = driver.execute_script(
        "return [...document.querySelectorAll('#drawing > svg')].map(s => s.getAttribute('viewBox'))"
    )
    if every(driver, "#drawing > svg.turned"):
        assert len(parts) == 1
        parts = [" ".join(["0", "0", *reversed(parts[0].split()[2:])])]
    ends = [[float(v) for v in part.split()] for part in parts]
    places = [
        (float(t.get_attribute("x")), float(t.get_attribute("y")))
        for t in every(driver, "#drawing > svg:first-child g.node text")
    ]
    assert len(places) == n
    for x, y in places:  # every label is on some sheet
        assert any(left <= x <= left + w and top <= y <= top + h for left, top, w, h in ends)
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    screen(browser, 1280, 900)
    assert len(every(driver, "#drawing > svg")) == 1


def test_without_script_lanes_are_there_and_paper_is_honest(opened, browser):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver = opened("lanes")
        heads = [t.text for t in every(driver, "#drawing .lane-head")]
        assert heads == ["background", "other columns", "outcome"]
        title, drawing = (one(driver, part).rect for part in ("#graph > h2", "#drawing"))
        assert title["y"] + title["height"] <= drawing["y"]
        screen(browser, 720, 1000, media="print")
        driver = opened(74)
        assert not one(driver, "#drawing svg").is_displayed() and one(driver, ".on-paper").is_displayed()
        driver = opened(8)
        assert one(driver, "#drawing svg").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        screen(browser, 1280, 900)


# ------------------------------------------------------------------------------------------------------- comparing


def test_two_results_on_one_page(opened, results):
    driver = opened("compared")
    told = content(driver)["compare"]
    one_, other = results[37][1].graph, made(37, 46, seed=38)[1].graph
    pairs = {frozenset((e.a, e.b)) for e in (*one_.edges(), *other.edges())}
    assert len(every(driver, "#drawing g.edge")) == len(pairs)
    kinds = {kind: len(every(driver, f"#drawing g.edge.{kind}")) for kind in ("both", "turned", "first", "second")}
    assert kinds == {kind: told["status"].count(kind) for kind in kinds}
    assert kinds["first"] == sum(other.edge(e.a, e.b) is None for e in one_.edges())
    assert kinds["second"] == sum(one_.edge(e.a, e.b) is None for e in other.edges())
    driver.execute_script("document.querySelector('[data-edge]').click()")
    assert len(every(driver, "#told .compared tbody tr")) == 2
    assert "<b>one</b>" in visible_text(driver, "#told") and not every(driver, "#told b")
    assert "only in <b>one</b>" in visible_text(driver, "#legend")
    assert "not with the same direction (drawn as in two)" in visible_text(driver, "#legend")


# ------------------------------------------------------------------------------------------- one number, one rule


@pytest.mark.parametrize("name", [37, "lanes"])
def test_arrowheads_are_filled_by_the_number_that_the_list_gives(opened, results, name):
    driver, result = opened(name), results[name][1]
    edges, fills = result.graph.edges(), set()
    for k in edges_shown(driver):
        way = in_percent(result.evidence.edge_columns(edges[k])["probability_of_marks"]) / 100  # as it is shown
        wanted = "sure" if way >= 0.8 else "likely" if way >= 0.5 else "open"
        heads = every(driver, f'g.edge[data-k="{k}"] polygon:not(.back)')
        assert {head.get_attribute("class") for head in heads} <= {f"arrow {wanted}"}
        fills |= {wanted} if heads else set()
    assert len(fills) >= 2


def test_what_lies_outside_the_first_view_is_told(opened, browser):
    driver = opened(8)
    assert not one(driver, "#outside").is_displayed()  # it fits
    screen(browser, 390, 844)
    driver = opened(74)
    one(driver, "#unfold").click()
    Select(one(driver, "#amount")).select_by_value("all")
    hidden = driver.execute_script(
        "const box = document.getElementById('drawing').getBoundingClientRect();"
        "return [...document.querySelectorAll('g.node rect')].map(r => r.getBoundingClientRect()).filter(r => {"
        " const [x, y] = [r.x + r.width / 2, r.y + r.height / 2];"
        " return x < box.left || x > box.right || y < box.top || y > box.bottom; }).length"
    )
    assert hidden > 1
    assert visible_text(driver, "#outside").startswith(f"{hidden} columns lie outside this view")
    driver.execute_script("document.querySelector('[data-view=matrix]').click()")
    assert not one(driver, "#outside").is_displayed()  # it is about the graph
    assert visible_text(driver, "#legend").startswith("Scroll inside the matrix to see all 74 columns.")
    driver.execute_script("document.querySelector('[data-view=graph]').click()")
    assert one(driver, "#outside").is_displayed()


@pytest.mark.parametrize("name", [37, "lanes"])
def test_tables_on_a_phone_have_nothing_beside_the_screen(opened, browser, name):
    screen(browser, 390, 844)
    driver = opened(name)
    beside = driver.execute_script(
        "return [...document.querySelectorAll('.wide')].filter(d => d.scrollWidth > d.clientWidth + 1).length"
    )
    assert beside == 0
    assert "Joined" in driver.execute_script(
        "return getComputedStyle(document.querySelector('#edges tbody td + td'), '::before').content"
    )


@pytest.mark.parametrize("name", [8, 37, 74, "lanes"])
def test_the_first_screen_shows_the_answer_and_the_beginning_of_the_graph(opened, browser, name):
    screen(browser, 1280, 800)
    driver = opened(name)
    assert driver.execute_script("return document.getElementById('drawing').getBoundingClientRect().top") < 780

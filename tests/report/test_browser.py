"""Reports in a real browser: no errors, no requests, nothing of the data runs, and tables sort and filter."""

from __future__ import annotations

import base64
import io
import json
import shutil
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kmerf
import reports
from kmerf import report

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="needs Chromium and its driver: apt-get install chromium chromium-driver",
)
KINDS = ["numeric", "grouped", "screen", "power"]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --disable-dev-shm-usage"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=Service(DRIVER)) as driver:
        yield driver


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = {
        "numeric": (reports.small(), {"data": reports.data(), "command": "kmerf independence t.csv --y y"}),
        "grouped": (reports.small("groups"), {}),
        "screen": (reports.screen(20_000), {"data": reports.data()}),
        "power": (reports.powers(), {"command": "kmerf power"}),
    }
    for kind, (outcome, more) in made.items():
        report.write(outcome, folder / f"{kind}.html", **more)
    return {kind: folder / f"{kind}.html" for kind in made}


def show(browser, path: Path, width=1000, scheme="light"):
    """Open a page at a width, in a colour scheme, and return what the browser logged and asked for."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.get_log("browser"), browser.get_log("performance")  # what is left of other pages
    browser.get(path.as_uri())
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    own = "chrome://"  # what the empty page of a browser that has just started may still ask for
    return browser.get_log("browser"), [url for url in asked if not url.startswith(own)]


def picture(browser, path: Path):
    """Take a picture of the whole page, and return its pixels."""
    from PIL import Image

    width, height = browser.execute_script("return [innerWidth, document.documentElement.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, 6000), "scale": 1}
    found = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    content = base64.b64decode(found["data"])
    path.write_bytes(content)
    return Image.open(io.BytesIO(content)).convert("L")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_opens_without_errors_and_asks_for_nothing(browser, files, kind):
    logged, asked = show(browser, files[kind])
    assert logged == []
    assert asked == [files[kind].as_uri()]
    assert browser.title
    assert browser.execute_script("return document.querySelectorAll('svg').length") > 0


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_show_as_text(browser, files, kind):
    show(browser, files[kind])
    body = browser.execute_script("return document.body.innerText + document.body.textContent")
    assert "<script>alert(1)</script>" in body
    assert browser.execute_script("return document.querySelectorAll('img, iframe, link, object, a').length") == 0
    scripts = browser.execute_script("return document.scripts.length")
    assert scripts == (2 if kind == "screen" else 0)


def fills(browser):
    """Return how the lines of a page are filled."""
    lines = "[...document.querySelectorAll('polyline')]"
    return browser.execute_script(f"return {lines}.map(e => getComputedStyle(e).fill)")


@pytest.mark.parametrize("kind", KINDS)
def test_lines_are_not_filled(browser, files, kind):
    show(browser, files[kind])
    assert set(fills(browser)) <= {"none"}


def test_curves_of_how_long_rows_last_are_lines(browser, tmp_path):
    x = np.arange(60.0)
    y = np.column_stack([100 - x, np.arange(60) % 3 > 0])
    method, null = kmerf.KMERF(kmerf.ForestSpec(n_trees=20)), kmerf.Permutation(19)
    result = kmerf.independence(x, y, y_kind="censored", method=method, null=null, details=True, rng=1)
    result.report(tmp_path / "c.html")
    show(browser, tmp_path / "c.html")
    assert len(fills(browser)) >= 2
    assert set(fills(browser)) == {"none"}


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_in_light_and_dark_and_on_a_phone(browser, files, tmp_path, kind):
    shades = {}
    for name, width, scheme in (("light", 1000, "light"), ("dark", 1000, "dark"), ("phone", 390, "light")):
        show(browser, files[kind], width, scheme)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        pixels = picture(browser, tmp_path / f"{kind}-{name}.png")
        counts = pixels.histogram()
        assert sum(count > 0 for count in counts) > 50  # not blank
        shades[name] = sum(shade * count for shade, count in enumerate(counts)) / sum(counts)
    assert shades["light"] > 200
    assert shades["dark"] < 60
    assert shades["phone"] > 200


def rows(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#table tbody tr')].map(tr => [...tr.cells].map(td => td.textContent))"
    )


def test_a_screen_of_20000_columns_sorts_filters_and_turns_its_pages(browser, files):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    show(browser, files["screen"])
    assert len(rows(browser)) == 50
    assert rows(browser)[0][3] == "≤ 0.001"
    assert rows(browser)[0][4].endswith("*")

    def count():
        return browser.find_element(By.ID, "count").text

    assert count() == "20,000 of 20,000"
    head = browser.find_element(By.CSS_SELECTOR, "th[data-key=name] button")
    head.send_keys(Keys.ENTER)  # by keyboard
    heads = browser.find_element(By.CSS_SELECTOR, "th[data-key=name]")
    assert heads.get_attribute("aria-sort") == "ascending"
    names = [row[1] for row in rows(browser) if row[1].startswith("gene")]
    assert names == sorted(names)
    head.send_keys(Keys.ENTER)
    assert rows(browser)[0][1] > rows(browser)[1][1]
    browser.find_element(By.CSS_SELECTOR, "th[data-key=place] button").click()
    assert [row[0] for row in rows(browser)[:3]] == ["1", "2", "3"]

    search = browser.find_element(By.ID, "search")
    search.send_keys("GENE_0123")
    assert count() == "10 of 20,000"
    assert {row[1] for row in rows(browser)} == {f"gene_0123{k}" for k in range(10)}
    search.clear()
    search.send_keys("<script>")
    assert rows(browser)[0][1] == "<script>alert(1)</script>"
    search.clear()
    search.send_keys(" ")
    browser.find_element(By.ID, "only").click()
    assert count() == f"{len(reports.HOSTILE)} of 20,000"
    browser.find_element(By.ID, "only").click()
    browser.find_element(By.ID, "next").click()
    assert browser.find_element(By.ID, "where").text == "page 2 of 400"
    browser.find_element(By.ID, "last").click()
    assert rows(browser)[-1][0] == "20000"


def test_points_of_a_screen_tell_their_names(browser, files):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    show(browser, files["screen"])
    plot = browser.find_element(By.ID, "plot")
    plot.send_keys(Keys.ARROW_RIGHT)
    assert "p ≤ 0.001, adjusted" in browser.find_element(By.ID, "status").text
    where = browser.execute_script(
        "const c = document.querySelector('#hover circle'), m = c.getScreenCTM();"
        "const p = new DOMPoint(c.cx.baseVal.value, c.cy.baseVal.value).matrixTransform(m);"
        "document.querySelector('#status').textContent = ''; return [p.x, p.y]"
    )
    event = {"type": "mouseMoved", "x": where[0], "y": where[1]}
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)
    assert "p ≤ 0.001, adjusted" in browser.find_element(By.ID, "status").text


def test_a_report_prints(browser, files):
    show(browser, files["numeric"], scheme="dark")
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") <= 12


@pytest.mark.parametrize("kind", KINDS)
def test_tables_fit_a_phone(browser, files, kind):
    show(browser, files[kind], 390)
    wide = browser.execute_script(
        "for (const d of document.querySelectorAll('details')) d.open = true;"
        "return [...document.querySelectorAll('main table')].map(t => t.getBoundingClientRect().right)"
    )
    assert wide
    assert max(wide) <= 390


def test_print_fills_its_pages(browser, files):
    """Sections may break, so no page is left half empty for the next one."""
    show(browser, files["numeric"])
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    kept = browser.execute_script(
        "return [...document.querySelectorAll('section')]"
        ".filter(s => getComputedStyle(s).breakInside === 'avoid').length"
    )
    height = browser.execute_script("return document.documentElement.scrollHeight")
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert kept == 0
    assert printed.count(b"/Type /Page\n") <= 2 + height / 900


def test_labels_of_a_picture_do_not_cover_each_other(browser, files):
    show(browser, files["numeric"])
    pairs = browser.execute_script(
        "const out = [];"
        "for (const svg of document.querySelectorAll('#views svg, #null svg')) {"
        "  const t = [...svg.querySelectorAll('.tick:not([transform])')].map(e => e.getBoundingClientRect());"
        "  t.forEach((a, i) => t.slice(0, i).forEach(b => {"
        "    if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) out.push(1); })); }"
        "return out.length"
    )
    assert pairs == 0


def test_a_screen_is_downloaded_as_csv(browser, files, tmp_path):
    from selenium.webdriver.common.by import By

    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    logged, _ = show(browser, files["screen"])
    browser.find_element(By.ID, "search").send_keys("gene_0123")
    browser.find_element(By.ID, "download").click()
    file = tmp_path / "screen.csv"
    for _ in range(100):
        if file.exists() and file.stat().st_size:
            break
        time.sleep(0.1)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "column,place,statistic,pvalue,bound,adjusted_bh,adjusted_by"
    assert len(lines) == 11  # what is shown after the search
    assert logged == browser.get_log("browser") == []


# --- what pictures of real tables once got wrong --------------------------------------------------------------------


@pytest.fixture(scope="module")
def awkward(tmp_path_factory):
    """A report on columns like those of Wage, gapminder and diamonds: years, long labels, many levels, gaps, a y."""
    rng = np.random.default_rng(0)
    n = 300
    levels = ["1. Never Married", "2. Married", "3. Widowed", "4. Divorced", "5. Separated"]
    table = pd.DataFrame(
        {
            "year": rng.integers(2003, 2010, n),
            "maritl": rng.choice(levels, n),
            "country": rng.choice([f"Country {k:03}" for k in range(60)], n),
            "y": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )
    table["wage"] = 80 + 4 * (table["year"] - 2003) + 30 * (table["maritl"] == levels[1]) + 9 * table["y"].fillna(2)
    table["wage"] += rng.normal(size=n)
    small = kmerf.KMERF(kmerf.ForestSpec(n_trees=30, min_samples_leaf=5))
    result = kmerf.independence(table, "wage", keep=["country"], method=small, details=True, rng=1, n_jobs=1)
    path = tmp_path_factory.mktemp("awkward") / "wage.html"
    report.write(result, path)
    return path


def panels(browser):
    """Return for each picture of the data its texts, from left to right, with the places of their corners."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#views svg')].map(svg => [...svg.querySelectorAll('text')].map(t => {"
        "  const r = t.getBoundingClientRect(); "
        "  return [t.textContent, r.left, r.right, r.top, r.bottom, t.hasAttribute('transform')]; }))"
    )


def panel(browser, name):
    """Return the texts of the picture of one column."""
    return next(texts for texts in panels(browser) if any(text[0] == name for text in texts))


@pytest.mark.parametrize("width", [1000, 390])
def test_texts_of_pictures_of_data_do_not_cover_each_other(browser, awkward, width):
    show(browser, awkward, width)
    for texts in panels(browser):
        level = [text[:5] for text in texts if not text[5]]  # the corners of a text at an angle say little
        for i, (a, *one) in enumerate(level):
            for b, *other in level[:i]:
                apart = (
                    one[1] <= other[0] + 1 or other[1] <= one[0] + 1 or one[3] <= other[2] + 2 or other[3] <= one[2] + 2
                )
                assert apart, (a, b)


def test_years_are_labelled_with_whole_years_that_differ(browser, awkward):
    show(browser, awkward)
    years = [text for text, *_ in panel(browser, "year") if text.isdigit() and len(text) == 4]
    assert len(years) == len(set(years)) >= 2
    assert all(2003 <= int(year) <= 2009 for year in years)


def test_labels_can_be_told_apart(browser, awkward):
    show(browser, awkward)
    labels = [text for text, *_ in panel(browser, "maritl") if text[:2] in ("1.", "2.", "3.", "4.", "5.")]
    assert len(labels) == len(set(labels)) == 5
    assert all(label[3:6].isalpha() for label in labels)


def test_a_dozen_levels_are_drawn_at_most(browser, awkward):
    show(browser, awkward)
    drawn = [text for text, *_ in panel(browser, "country") if text.startswith(("Country", "00", "0"))]
    assert 0 < len(drawn) <= 12


def test_axes_have_the_names_of_columns_and_missing_stands_apart(browser, awkward):
    show(browser, awkward)
    assert all(any(text == "wage" for text, *_ in texts) for texts in panels(browser))
    texts = panel(browser, "y")
    missing = next(text for text in texts if text[0] == "missing")
    ticks = [text for text in texts if text[0].lstrip("−-").replace(".", "").isdigit() and text[3] >= missing[3] - 6]
    assert ticks
    assert max(text[2] for text in ticks) < missing[1]


def test_the_null_can_be_read_where_the_data_are_far_away(browser, awkward):
    show(browser, awkward)
    chart, bars, line = browser.execute_script(
        "const svg = document.querySelector('#null svg'), of = e => { const r = e.getBoundingClientRect();"
        "  return [r.left, r.right]; };"
        "return [of(svg), [...svg.querySelectorAll('rect')].map(of), of(svg.querySelector('.observed'))]"
    )
    spread = max(right for _, right in bars) - min(left for left, _ in bars)
    assert spread > 0.4 * (chart[1] - chart[0])
    assert line[0] > max(right for _, right in bars)
    assert line[1] <= chart[1]


# --- axes and captions of every kind of question ---------------------------------------------------------------------


def asked(kind):
    """Return the result of a question of a kind, quick to compute."""
    rng = np.random.default_rng(0)
    n = 120
    small = {"method": kmerf.KMERF(kmerf.ForestSpec(n_trees=20)), "null": kmerf.Permutation(19)}
    how = {"details": True, "rng": 1, "n_jobs": 1}
    orders = ["Artiodactyla", "Carnivora", "Cetacea", "Chiroptera", "Cingulata", "Didelphimorphia", "Diprotodontia"]
    orders += ["Erinaceomorpha", "Hyracoidea", "Lagomorpha", "Monotremata", "Perissodactyla", "Proboscidea"]
    age, order = rng.normal(50.0, 10.0, n), rng.choice(orders, n)
    weight = 0.5 * age + 40.0 * (order < "D") + rng.normal(size=n)
    treated = rng.choice(["no", "yes"], n)
    subject = np.repeat([f"s{k}" for k in range(30)], 4)
    numbers = {"age": age, "order": order, "weight": weight}
    if kind == "levels":
        return kmerf.independence(numbers, "weight", **small, **how)
    if kind == "groups":
        table = pd.DataFrame({"g": np.repeat([f"laboratory {c}" for c in "ABCDEFGHIJ"], 12), "v": rng.normal(size=n)})
        return kmerf.ksample(table, groups="g", pairwise=True, **small, **how)
    if kind == "blocks":
        table = {"visit": np.tile([1.0, 2.0, 3.0, 4.0], 30), "weight": weight + 5.0 * np.tile(np.arange(4), 30)}
        return kmerf.independence(table, "weight", blocks=subject, **small, **how)
    if kind == "given":
        return kmerf.independence(pd.DataFrame({"treated": treated}), weight, given={"age": age}, **how)
    if kind == "censored":
        time = rng.exponential(np.where(treated == "yes", 900.0, 300.0))
        table = pd.DataFrame({"treated": treated, "age": age, "days": time, "dead": rng.random(n) < 0.8})
        return kmerf.independence(table, ("days", "dead"), y_kind="censored", **small, **how)
    if kind == "counts":
        table = {"age": age, "treated": treated, "visits": rng.poisson(np.where(treated == "yes", 3.0, 0.5))}
        return kmerf.independence(table, "visits", **small, **how)
    if kind == "shares":
        table = {
            "age": age,
            "smoke": rng.integers(0, 2, n),
            "low": np.where(age + rng.normal(size=n) > 50, "no", "yes"),
        }
        return kmerf.independence(table, "low", **small, **how)
    assert kind == "two y"
    table = {"age": age, "order": order}
    return kmerf.independence(table, {"weight": weight, "height": age + rng.normal(size=n)}, **small, **how)


ASKED = ["levels", "groups", "blocks", "given", "censored", "counts", "shares", "two y"]
AXES = {  # of the first picture: what stands below it, and above
    "levels": ("order", "weight"),
    "groups": ("g", "v"),
    "blocks": ("visit", "weight"),
    "given": ("treated", "y, adjusted"),
    "censored": ("days", "share without an event"),
    "counts": ("treated", "visits"),
    "shares": ("age", "share with low = yes"),
    "two y": ("order", "weight"),
}


@pytest.fixture(scope="module")
def questions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    for kind in ASKED:
        asked(kind).report(folder / f"{kind}.html")
    return {kind: folder / f"{kind}.html" for kind in ASKED}


def test_the_first_screen_has_the_question_the_answer_and_what_changes(browser, questions):
    show(browser, questions["levels"], 1280)
    question, verdict, p, change = (
        browser.execute_script(
            f"const e = document.querySelector('{where}'); return [e.innerText, e.getBoundingClientRect().bottom]"
        )
        for where in ("h1", ".verdict", ".answer .facts dd", ".changes li")
    )
    assert question[0] == "Does weight depend on age and order?"
    assert verdict[0].startswith("There is evidence that weight is related to age and order")
    assert p[0].replace("\xa0", " ").startswith("p ≤ 0.05")
    assert "weight" in change[0]
    assert max(bottom for _, bottom in (question, verdict, p, change)) < 900
    folded = browser.execute_script(
        "return [...document.querySelectorAll('#meaning details, #rows details, #again details')].map(d => d.open)"
    )
    assert folded
    assert not any(folded)  # all numbers, scores of rows, settings and the seed


@pytest.mark.parametrize("kind", ASKED)
def test_axes_have_the_names_of_columns_and_levels(browser, questions, kind):
    show(browser, questions[kind])
    labels = browser.execute_script(
        "const svg = document.querySelector('#survival svg.chart, #views svg.chart');"
        "return [...svg.querySelectorAll('.label')].map(e => e.textContent)"
    )
    assert set(labels) == set(AXES[kind])
    if kind == "given":
        ticks = browser.execute_script(
            "return [...document.querySelectorAll('#views svg .tick')].map(e => e.textContent)"
        )
        assert {"no", "yes"} <= set(ticks)


SAID = {  # what a caption says is drawn, and what then is there
    "Each point is a row": ".raw circle",
    "The box holds": ".box rect",
    "Diamond and bar": ".estimate path",
    "Grey lines join": ".thread polyline",
    "Line and band": ".curve polyline",
    "Bars and lines: the share": ".stack rect",
    "Points and bars: the share": ".share circle",
    "share a letter": "text.letters",
}


@pytest.mark.parametrize("kind", ASKED)
def test_captions_describe_what_is_drawn_and_nothing_else(browser, questions, kind):
    show(browser, questions[kind])
    if kind == "censored":
        text = browser.execute_script("return document.querySelector('#survival figcaption').textContent")
        drawn = "return document.querySelectorAll('#survival svg .series {}').length"
        assert "Bands: 95 % intervals. Lines: the share of rows without an event" in text
        assert browser.execute_script(drawn.format("polygon")) == browser.execute_script(drawn.format("polyline")) == 2
        rows = browser.execute_script("return [...document.querySelectorAll('#survival .row')].map(e => e.textContent)")
        assert rows == ["no", "yes"]  # real names of levels
    caption = browser.execute_script("return document.querySelector('#views .caption').textContent")
    for sentence, where in SAID.items():
        there = browser.execute_script(f"return document.querySelectorAll('#views svg {where}').length")
        counts = where == ".stack rect" and "rows" in browser.execute_script(
            "return [...document.querySelectorAll('#views svg .label')].map(e => e.textContent).join(' ')"
        )
        assert (sentence in caption) == (there > 0) or counts, (sentence, there)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("kind", [*ASKED, "screen"])
def test_no_text_of_a_picture_is_cut_or_covers_another(browser, questions, files, kind, width):
    show(browser, files["screen"] if kind == "screen" else questions[kind], width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    charts = browser.execute_script(
        "return [...document.querySelectorAll('svg.chart')].filter(s => s.getBoundingClientRect().width).map(svg => {"
        "  const around = svg.getBoundingClientRect();"
        "  return [around.left, around.right, [...svg.querySelectorAll('text')].filter(t => t.textContent).map(t => {"
        "    const r = t.getBoundingClientRect();"
        "    return [t.textContent, r.left, r.right, r.top, r.bottom, t.hasAttribute('transform')]; })]; })"
    )
    assert charts
    for left, right, texts in charts:
        for text, start, end, *_ in texts:
            assert start >= left - 2, text
            assert end <= right + 2, text
        level = [text[:5] for text in texts if not text[5]]
        for i, (a, *one) in enumerate(level):
            for b, *other in level[:i]:
                across = one[0] + 1 < other[1] and other[0] + 1 < one[1]
                assert not (across and one[2] + 3 < other[3] and other[2] + 3 < one[3]), (a, b)


@pytest.mark.parametrize("width", [1280, 760, 600, 390])
@pytest.mark.parametrize("kind", ["levels", "groups", "given", "censored"])
def test_no_card_is_alone_in_its_row(browser, questions, kind, width):
    show(browser, questions[kind], width)
    tops = browser.execute_script(
        "for (const d of document.querySelectorAll('details')) d.open = true;"
        "return [...document.querySelectorAll('.cards > div')].map(e => Math.round(e.getBoundingClientRect().top))"
    )
    sizes = [tops.count(top) for top in dict.fromkeys(tops)]
    assert len(tops) > 2
    assert min(sizes) > 1 or max(sizes) == 1  # rows of cards, or a list


def test_paper_has_no_folds_and_texts_that_can_be_read(browser, questions):
    show(browser, questions["levels"], 690)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    summaries, letters = browser.execute_script(
        "return [[...document.querySelectorAll('summary')].filter(s => s.offsetHeight && !s.parentElement.open).length,"
        " [...document.querySelectorAll('#views svg .tick')].map(t => t.getBoundingClientRect().height)]"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert summaries == 0
    assert min(letters) > 10


def test_pairs_without_a_difference_are_folded(browser, questions):
    show(browser, questions["groups"])
    shown = browser.execute_script(
        "return [document.querySelector('#pairs').innerText, document.querySelectorAll('#pairs tbody tr').length]"
    )
    assert "No two of the groups differ at level 0.05: all 45 pairs" in shown[0]
    assert "1.000" not in shown[0]
    assert shown[1] == 45  # they are there for those who open the fold


def test_a_single_column_has_no_map_and_no_importance(browser, questions):
    for kind in ("groups", "given", "blocks"):
        show(browser, questions[kind])
        there = "return document.querySelectorAll('#map, #features').length"
        assert browser.execute_script(there) == 0
    show(browser, questions["levels"])
    assert browser.execute_script("return document.querySelectorAll('#features').length") == 1

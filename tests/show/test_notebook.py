"""What notebooks show."""

import re

import views
from kmerf.show.notebook import html_table


def texts(page):
    """Return the texts of a page, without elements."""
    return re.sub(r"<[^>]+>", "|", page)


def test_a_result_is_its_facts_and_features():
    page = views.result(1e-5, 0.4, notes=("be <careful>",))._repr_html_()
    assert page.startswith("<div><strong>Does y depend on these columns?</strong><p><strong>There is evidence that y")
    assert "p-value||p = 1.0 × 10⁻⁵ (1,200 rows; 19 permutations, standard error 0.001)" in texts(page)
    assert "effect||strong: R² 0.400|" in texts(page)
    assert "p-value||1.0 × 10⁻⁵||19 permutations; standard error 0.001" in texts(page)
    assert "|x2||0.700||0.650 to 0.750||2.0 × 10⁻⁴||4.0 × 10⁻⁴|" in texts(page)
    assert "<p>be &lt;careful&gt;</p>" in page
    assert "feature" not in views.result(importances=None, features=None)._repr_html_().split("3 features")[1]


def test_a_screen_is_its_best_columns():
    page = views.screen()._repr_html_()
    assert "|g1||0.5||≤ 0.01||≤ 0.01*||" in texts(page)
    assert page.count("selected</td>") == 2
    assert "Not tested: g2: the same in every row" in page


def test_everything_is_escaped():
    hostile = ("<script>", "\x1b", "x3")
    page = views.result(importances=views.importances(hostile), features=None)._repr_html_()
    assert "<script>" not in page
    assert "\x1b" not in page
    assert html_table(("<i>",), [("&", "<b>")]) == (
        "<table><thead><tr><th>&lt;i&gt;</th></tr></thead>"
        "<tbody><tr><th>&amp;</th><td>&lt;b&gt;</td></tr></tbody></table>"
    )

"""Power curves in words."""

from kmerf.show.notebook import curve_answer
from power_curves import made_curve


def test_the_answer_names_the_rows_and_those_on_the_safe_side():
    curve = made_curve(low=(0.1, 0.3, 0.85))
    assert curve_answer(curve) == "About 200 rows give power 0.8; 353 to be on the safe side."


def test_a_pilot_that_is_too_small_is_called_so():
    text = curve_answer(made_curve())
    assert text.startswith("The pilot of 100 rows is too small to tell how many rows power 0.8 takes: 100 may do")
    assert text.endswith("100 may do, and 400 may not. Collect a larger pilot first.")
    nothing = curve_answer(made_curve(low=(0.05, 0.05, 0.06)))
    assert nothing.endswith("may not, for the pilot may hold no relation at all. Collect a larger pilot first.")


def test_where_no_size_may_do_that_is_said():
    text = curve_answer(made_curve(power=(0.1, 0.1, 0.2), high=(0.1, 0.2, 0.3), low=(0.05, 0.05, 0.05)))
    assert text.endswith("takes: more than 400, if the relation is there at all.")


def test_print_shows_the_curve():
    assert str(made_curve()).splitlines() == [
        "How many rows for power 0.8? (Dcorr, level 0.05)",
        "",
        "  rows needed       200   95% interval 100 and up",
        "  pilot        100 rows   60 parts of each of 2 sizes",
        "  seed                1",
        "",
        "  rows  power  95% interval",
        "  ---------------------------------------------",
        "  25     0.25  0.10 to 0.50  █████",
        "  100    0.70  0.30 to 0.80  ██████████████",
        "  400    0.90  0.60 to 0.99  ██████████████████",
        "",
        curve_answer(made_curve()),
        "note: one <note>",
    ]


def test_events_of_a_pilot_are_counted():
    assert "pilot        100 rows, 40 events   60 parts" in str(made_curve(events=40))


def test_repr_is_short_and_html_is_escaped():
    assert repr(made_curve()).splitlines()[:2] == [
        "<kmerf.PowerCurve: How many rows for power 0.8? (Dcorr, level 0.05)",
        "  200 rows, 95% interval 100 and up; pilot of 100 rows, seed 1",
    ]
    html = made_curve()._repr_html_()
    assert "one &lt;note&gt;" in html
    assert "<td>0.70</td><td>0.30 to 0.80</td>" in html
    both = made_curve(low=(0.1, 0.3, 0.85))
    assert "200 rows, 95% interval 100 to 353;" in repr(both)
    assert "> 400 rows, 95% interval > 400;" in repr(made_curve(power=(0.1, 0.1, 0.2), high=(0.1, 0.2, 0.3)))

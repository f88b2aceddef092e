"""Screens with blocks: each column is tested within blocks or between them."""

import numpy as np
import pandas as pd
import pytest

import kmerf
from kmerf.questions.hypotheses import independence

SMALL = kmerf.KMERF(forest=kmerf.ForestSpec(n_trees=30))


def visits(seed=0, sizes=(3, 4, 5) * 8):
    """Subjects with an age that matters and a height that does not, visits with a dose that matters and noise."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(len(sizes)), sizes)
    age, height = rng.normal(size=(2, len(sizes)))[:, subject]
    dose, noise = rng.normal(size=(2, subject.size)) + rng.normal(size=len(sizes))[subject]
    y = (
        1.5 * age
        + dose
        + 2.0 * noise.mean()
        + rng.normal(size=len(sizes))[subject]
        + 0.5 * rng.normal(size=subject.size)
    )
    return pd.DataFrame({"age": age, "height": height, "dose": dose, "noise": noise, "y": y, "subject": subject})


@pytest.mark.parametrize("method", [SMALL, "dcorr"])
def test_columns_are_tested_where_they_vary(method):
    found = kmerf.screen(visits(), "y", blocks="subject", method=method, rng=1)
    assert set(found.selected) == {"age", "dose"}
    assert found.settings["blocks"] == 24
    assert found.n == 96
    assert {"2 tested within", "2 tested between"} <= {" ".join(note.split()[:3]) for note in found.notes}
    assert found.effects.directions[:3:2] == ("rises", "rises")


def test_a_column_that_cannot_be_moved_has_words_in_place_of_a_p_value():
    found = kmerf.screen(visits(), "y", blocks="subject", exchange="within", method="dcorr", rng=1)
    assert set(found.errors) == {"age", "height"}
    assert found.errors["age"].startswith("cannot be tested with these blocks: it is constant within every block")
    assert np.isnan(found.pvalues[0])
    assert found.selected == ("dose",)
    assert "age and height: cannot be tested with these blocks" in str(found)


def test_the_same_p_value_as_a_test_of_means():
    table = visits(sizes=(4,) * 24)
    screened = kmerf.screen(table[["age", "y", "subject"]], "y", blocks="subject", method="dcorr", rng=1)
    means = table.groupby("subject")[["age", "y"]].mean()
    alone = kmerf.screen(means, "y", method="dcorr", rng=1)
    assert screened.pvalues.tolist() == alone.pvalues.tolist()


def test_sets_of_both_kinds_are_refused_one_by_one():
    sets = {"subject's": ["age", "height"], "visit's": ["dose", "noise"], "both": ["age", "dose"]}
    found = kmerf.screen(visits(), "y", blocks="subject", sets=sets, method="dcorr", rng=1)
    assert set(found.selected) == {"subject's", "visit's"}
    assert "two questions" in found.errors["both"]


def test_workers_and_a_store_change_nothing(tmp_path):
    ask = {"blocks": "subject", "method": SMALL, "rng": 1}
    one = kmerf.screen(visits(), "y", n_jobs=1, **ask)
    kept = [kmerf.screen(visits(), "y", n_jobs=2, store=tmp_path / "s.sqlite", **ask) for _ in range(2)]
    assert one == kept[0] == kept[1]


def test_the_level_holds_within_and_between():
    pvalues = []
    for seed in range(40):
        table = visits(seed).assign(y=np.random.default_rng([seed, 1]).normal(size=96))
        level = 2.0 * np.random.default_rng([seed, 2]).normal(size=24)[table["subject"]]
        found = kmerf.screen(
            table.assign(y=table["y"] + level, dose=table["dose"] + level), "y", blocks="subject", method="dcorr",
            null=kmerf.Permutation(39), rng=seed,
        )  # fmt: skip
        pvalues.append(found.pvalues)
    rates = (np.array(pvalues) <= 0.05).mean(axis=0)
    assert (rates <= 0.175).all()  # 0.05 expected, standard error 0.034


def test_exchange_without_blocks_and_blocks_given_z_are_refused():
    table = visits().drop(columns="subject")
    with pytest.raises(kmerf.InputError, match="exchange='between' needs blocks"):
        kmerf.screen(table, "y", exchange="between")
    for ask in (kmerf.screen, independence):
        with pytest.raises(
            kmerf.InputError, match="blocks was passed together with given, whose test assumes independent rows"
        ):
            ask(visits(), "y", blocks="subject", given="age")


@pytest.mark.parametrize("question", ["screen", "independence"])
def test_the_shell_takes_blocks(question, tmp_path, capsys):
    from kmerf.cli import main

    visits().to_csv(tmp_path / "v.csv", index=False)
    options = ["--y", "y", "--x", "age", "--blocks", "subject", "--method", "dcorr", "--seed", "1", "--json", "-q"]
    assert main([question, str(tmp_path / "v.csv"), *options]) == 0
    assert '"blocks": 24' in capsys.readouterr().out

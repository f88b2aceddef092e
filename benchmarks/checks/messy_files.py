"""Are messy files read as a person would read them? Writes each file, reads it, and compares.

python -m benchmarks.checks.messy_files

A case is the text of a file, options of `kmerf.read_table`, and what is expected: the numbers or labels that begin a
column, or a part of the error.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import kmerf
from kmerf.reading.samples import read_independence


class Case(NamedTuple):
    """A file, and what a person would expect of a column of it."""

    name: str
    content: str | bytes
    column: str = "a"
    expected: Any = None  # first values, or a part of an error
    unit: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed


def rows(cells: list[str], head: str = "a,b\n", sep: str = ",") -> str:
    """Return a file with one column of cells, and numbers beside it."""
    return head + "".join(f"{cell}{sep}{i * 7 % 11}\n" for i, cell in enumerate(cells * 8))


SEMI = "a;b\n"
CASES = [
    Case("percent", rows(["12.3%", "8%", "9.5%"]), expected=[12.3, 8.0], unit="%"),
    Case("percent with blank", rows(["12 %", "8 %"]), expected=[12.0, 8.0], unit="%"),
    Case("unit", rows(["58.1 kg", "60.2 kg"]), expected=[58.1, 60.2], unit="kg"),
    Case("unit without blank", rows(["10mg", "20mg"]), expected=[10.0, 20.0], unit="mg"),
    Case("compound unit", rows(["90 mg/dL", "101 mg/dL"]), expected=[90.0, 101.0], unit="mg/dL"),
    Case("degrees", rows(["21.5 °C", "-3 °C"]), expected=[21.5, -3.0], unit="°C"),
    Case("days", rows(["1 day", "2 days"]), expected=[1.0, 2.0], unit="days"),
    Case("dollars", rows(['"$30,096"', '"$1,200"']), expected=[30096.0, 1200.0], unit="$"),
    Case("negative dollars", rows(["-$5.50", "$7.25"]), expected=[-5.5, 7.25], unit="$"),
    Case("accounting", rows(["($5.50)", "$7.25"]), expected=[-5.5, 7.25], unit="$"),
    Case("euros", rows(["1.234,50 €", "99,00 €"], SEMI, ";"), expected=[1234.5, 99.0], unit="€"),
    Case("decimal commas", rows(["58,1", "60,25"], SEMI, ";"), expected=[58.1, 60.25]),
    Case("blanks between thousands", rows(["1 234,5", "17,25"], SEMI, ";"), expected=[1234.5, 17.25]),
    Case("narrow blanks", rows(["1\u202f234", "17"]), expected=[1234.0, 17.0]),
    Case("points between thousands", rows(["1.234.567", "1.000"], SEMI, ";"), expected=[1234567.0, 1000.0]),
    Case("apostrophes", rows(["1'234.5", "2'000.0"]), expected=[1234.5, 2000.0]),
    Case("commas with decimals", rows(['"1,234.5"', "17.0"]), expected=[1234.5, 17.0]),
    Case("ambiguous commas", rows(["1,234", "5,678"], SEMI, ";"), expected="thousands=','"),
    Case("ambiguous, thousands", rows(["1,234", "2,345"], SEMI, ";"), expected=[1234.0], options={"thousands": ","}),
    Case("ambiguous, decimal", rows(["1,234", "2,345"], SEMI, ";"), expected=[1.234], options={"decimal": ","}),
    Case("another column tells", "a;b\n" + "1,234;2,5\n" * 9 + "3,456;7,25\n" * 9, expected=[1.234]),
    Case("leading zero tells", rows(["0,123", "1,234"], SEMI, ";"), expected=[0.123, 1.234]),
    Case("two units", rows(["5 kg", "300 g"]), expected="different units"),
    Case("unit in some cells", rows(["5 kg", "300"]), expected="none in others"),
    Case("detection limit", rows(["<0.1", "13", "12"]), expected="signs or units"),
    Case("stray word", rows(["12", "13", "free", "14", "15"]), expected="holds numbers, but"),
    Case("stray word among percentages", rows([*(f"{i}%" for i in range(12)), "free"]), expected="holds numbers, but"),
    Case("ordinals are text", rows(["1st", "2nd"]), expected=["1st", "2nd"]),
    Case("codes are text", rows(["3A", "3B"]), expected=["3A", "3B"]),
    Case("ranges are text", rows(["10-20", "20-30"]), expected=["10-20", "20-30"]),
    Case("title", "My study\n\n" + rows(["1.5", "2.5"]), expected=[1.5, 2.5]),
    Case("title with commas", "My study,\n" + rows(["1.5", "2.5"]), expected=[1.5, 2.5]),
    Case("comments", "# by hand\n# twice\n" + rows(["1.5", "2.5"]), expected=[1.5, 2.5]),
    Case("comment within", rows(["1.5", "2.5"], "# x\na,b\n") + "# end\n", expected=[1.5, 2.5]),
    Case("hash in the names", rows(["1.5", "2.5"], "#a,b\n"), column="#a", expected=[1.5, 2.5]),
    Case("units below names", rows(["1.5", "2.5"], "a,b\n(kg),(cm)\n"), expected=[1.5, 2.5], unit="kg"),
    Case("two rows of names", rows(["1.5", "2.5"], "blood,urine\nbefore,after the meal\n"), "blood before", [1.5, 2.5]),
    Case("skip", "1,2\n" + rows(["1.5", "2.5"]), expected=[1.5, 2.5], options={"skip": 1}),
    Case("header line", "x,y\nu,v\n" + rows(["1.5", "2.5"]), expected=[1.5, 2.5], options={"header": 3}),
    Case("no names", rows(["1.5", "2.5"], ""), "x1", [1.5, 2.5], options={"header": False}),
    Case("other comments", "% by hand\n" + rows(["1.5", "2.5"]), expected=[1.5], options={"comment": "%"}),
    Case("JSON rows", json.dumps([{"a": 1.5}, {"a": 2.5}] * 4), expected=[1.5, 2.5]),
    Case("JSON columns", json.dumps({"a": [1.5, 2.5] * 4, "b": [1, 2] * 4}), expected=[1.5, 2.5]),
    Case("JSON inside", json.dumps({"data": [{"a": 1.5}, {"a": 2.5}] * 4}, indent=1), expected=[1.5, 2.5]),
    Case("JSON of numbers", "[1, 2, 3]", expected="not a list of rows"),
    Case("picture", b"\x89PNG\r\n\x1a\n" + bytes(range(250)), expected="is a picture"),
    Case("byte-order mark", "\ufeff".encode() + rows(["12%", "8%"]).encode(), expected=[12.0, 8.0], unit="%"),
    Case("tabs", rows(["12%", "8%"], "a\tb\n", "\t"), expected=[12.0, 8.0], unit="%"),
]


def fault(case: Case, folder: Path) -> str:
    """Return what is not as expected; empty if all is."""
    path = folder / "file"
    path.write_bytes(case.content if isinstance(case.content, bytes) else case.content.encode())
    try:
        table = kmerf.read_table(path, **case.options)
        if case.column not in table.names:
            return f"columns {table.names}"
        if case.column in table.faults:
            raise kmerf.InputError(str(table.faults[case.column].text))
        if isinstance(case.expected, list) and isinstance(case.expected[0], float) and "b" in table.names:
            read_independence(table, "b")  # a person can go on
    except kmerf.InputError as error:
        told = isinstance(case.expected, str) and case.expected in str(error)
        return "" if told else f"refused: {error}"
    if isinstance(case.expected, str):
        return f"read, although {case.expected!r} was expected"
    values = table.frame[case.column].to_list()[: len(case.expected)]
    if values != case.expected or table.units.get(case.column, "") != case.unit:
        return f"{values} {table.units.get(case.column, '')!r} instead of {case.expected} {case.unit!r}"
    return ""


def main() -> int:
    """Check every case, and say which are wrong."""
    with tempfile.TemporaryDirectory() as folder:
        faults = {case.name: fault(case, Path(folder)) for case in CASES}
    wrong = {name: text for name, text in faults.items() if text}
    for name, text in wrong.items():
        print(f"{name}: {text}")
    print(f"{len(CASES)} files, {len(wrong)} read otherwise than expected")
    return len(wrong)


if __name__ == "__main__":
    raise SystemExit(main())

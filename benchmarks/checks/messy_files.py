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
WIDE = "site,ph,depth,arm\n" + "s1,6.0,3,A\ns2,6.5,9,B\n" * 6
SURVEY = 'Q1,Q2\nHow old are you?,How happy?\n"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
PASSED: list[Any] = ["passed", 0.0]  # expected of a time: what has passed since the first
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
    Case("title with a comma", "Table 3, by site, 2022\n" + WIDE, "ph", [6.0, 6.5]),
    Case("lines of an instrument", "Operator:,MK\nDate:,2024-02-01\n\n" + WIDE, "ph", [6.0, 6.5]),
    Case("questions of a survey", SURVEY + "31,5\n45,3\n" * 8, "Q1", [31.0, 45.0]),
    Case("footnotes", WIDE + "Legend:\n(NA) Not available for all years\nSource: a bureau\n", "ph", [6.0, 6.5]),
    Case("footnote with empty cells", WIDE + "Source: a bureau,,,\n", "ph", [6.0, 6.5]),
    Case("a line cut short", WIDE + "s1,6\n", expected="2 fields where the header has 4"),
    Case("total", rows(["58,1", "60,25"], SEMI, ";") + "Summe;70\n", "b", [0.0, 7.0]),
    Case("total with dates", rows(["01.02.2023", "13.02.2023"], SEMI, ";") + "Summe;70\n", expected=["01.02.2023"]),
    Case("total and average", WIDE + "Total,99,,\nAverage,6.25,,\n", "ph", [6.0, 6.5]),
    Case("names again", WIDE + WIDE, "ph", [6.0, 6.5]),
    Case("weeks", rows(["2023-W01", "2023-W02"]), expected=[*PASSED, 7.0]),
    Case("months", rows(["2023-01", "2023-02"]), expected=[*PASSED, 31.0]),
    Case("named months", rows(["Jan 2023", "Feb 2023"]), expected=[*PASSED, 31.0]),
    Case("quarters", rows(["2023Q1", "2023Q2"]), expected=[*PASSED, 90.0]),
    Case("days with words", rows(['"Jan 15, 2024"', '"Jan 17, 2024"']), expected=[*PASSED, 2.0]),
    Case("am and pm", rows(["1/13/2022 1:05 AM", "1/13/2022 1:05 PM"]), expected=[*PASSED, 12.0]),
    Case("three formats", rows(["2024-01-15", "15/01/2024", '"Jan 15, 2024"']), expected="several formats"),
    Case("day or month", rows(["05/03/2021", "06/04/2021"]), expected="day or the month may come first"),
    Case("minutes and seconds", rows(["59:30", "24:15"]), expected=["passed", 59.5, 24.25]),
    Case("hours and minutes", rows(["2h 30m", "3h"]), expected=["passed", 2.5, 3.0]),
    Case("accounts", rows(['"(10,023)"', '"60,525"', '"1,250,000"']), expected=[-10023.0, 60525.0, 1250000.0]),
    Case("accounts with dashes", rows([*(f'"{i},525"' for i in range(1, 14)), "-"]), expected="na='-'"),
    Case("several codes", rows(["40", ".", "35", "NULL", "31", "52", "27"]), expected="na=['.', 'NULL']"),
    Case("thousands of dollars", rows(["$83K", "$104K"]), expected=[83.0, 104.0], unit="K $"),
    Case("years", rows(["37 years", "41 years"]), expected=[37.0, 41.0], unit="years"),
    Case("days as digits", rows(["20240131", "20240202"], "date,b\n"), "date", [*PASSED, 2.0]),
    Case("codes as digits", rows(["20240131", "20240202"]), expected=[20240131.0]),
    Case("moments of UTC", rows(["2024-01-01T00:00:00Z", "2024-01-08T00:00:00Z"]), expected=[*PASSED, 7.0]),
    Case("stars", rows(["0.120*", "0.35", "0.7"]), expected="signs or units"),
    Case("percent, decimal commas", rows(['"12,5%"', '"8,1%"']), expected=[12.5, 8.1], unit="%"),
    Case("UTF-16", rows(["1,5", "2,5"], "größe\tb\n", "\t").encode("utf-16"), "größe", [1.5, 2.5]),
    Case("Latin-1", "größe,b\n1,2\n".encode("latin-1"), expected="encoding cp1252"),
    Case("blank lines, empty last column", "a,b,\n\n" + "1.5,2,\n2.5,3,\n\n" * 6, expected=[1.5, 2.5]),
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
        numbers = isinstance(case.expected, list) and isinstance(case.expected[0], float)
        if numbers and "b" in table.names and case.column != "b":
            read_independence(table, "b")  # a person can go on
        if PASSED[0] in (case.expected or ()) or (
            isinstance(case.expected, str) and table.kinds[case.column] != "numeric"
        ):
            sample = read_independence(table, "b", keep=[case.column], dates="elapsed")
            passed = sample.x.column(0)[: len(case.expected) - 1].tolist()
            return "" if passed == case.expected[1:] else f"{passed} instead of {case.expected[1:]}"
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

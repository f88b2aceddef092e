"""Records of text files: polars and the standard library read the same, and faults are named by line."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kmerf.core.errors import InputError
from kmerf.reading import delimited
from kmerf.reading.delimited import MAX_FIELD, Dialect, columns_by_csv, columns_by_polars, count_records, read_header
from kmerf.reading.files import read
from kmerf.reading.opening import Origin


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_quotes(make, ending):
    table = read(make(ending.join(["name,x", '"Doe, J. ""Jo""",1', '"two', 'lines",2', ""])))
    assert table.frame["name"].to_list() == ['Doe, J. "Jo"', f"two{ending}lines"]


def test_many_rows(make):
    rows = np.arange(45_001)
    table = read(make("a,b\n" + "".join(f"{i},t{i % 3}\n" for i in rows)))
    assert table.frame["a"].to_list() == rows.tolist()


REFUSED = {
    "ragged, short": (b"a,b\n1,2\n3\n", "line 3: 1 field where the header has 2 (separator: comma)"),
    "ragged, long": (b"a,b\n1,2\n3,4,5\n", "line 3: 3 fields where the header has 2"),
    "row names": (b"a,b\nr1,1,2\nr2,3,4\n", "if row names have no header"),
    "unclosed quote": (b'a,b\n1,"2\n3,4\n', "never closed"),
    "text after a quote": (b'a,b\n1,"2"x\n3,4\n', "text follows a closing quote"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED)
def test_refused_files(check_refusal, content, says):
    check_refusal(content, says)


def origin_of(content: bytes) -> Origin:
    return Origin("t", lambda: io.BytesIO(content), "text")


def both_ways(content: bytes, separator=",", header=True, encoding="utf-8"):
    """Return what polars reads, None if it is not asked, and what the standard library reads, or its refusal."""
    origin, dialect = origin_of(content), Dialect(encoding, separator, header)
    width = len(read_header(origin, dialect))
    fast = columns_by_polars(origin, dialect, width)
    try:
        slow = [column.to_list() for column in columns_by_csv(origin, dialect, width)]
    except InputError as error:
        return fast, str(error)
    return (None if fast is None else [column.fill_null("").to_list() for column in fast]), slow


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.text(alphabet='ab,"\n\r #é\0', max_size=60),
        st.lists(
            st.lists(st.sampled_from(["", "a", '"a"', '"b,c"', '"d\n"', '"e\r\n"', '""""', '""', "#", " f ", "é"]))
            .map(lambda fields: [*fields, "x", "y"][:2])
            .map(",".join),
            min_size=1,
            max_size=8,
        ).flatmap(lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))),
    ),
    st.booleans(),
    st.sampled_from([3, 7, 1 << 22]),
)
@example('a,b\n"1,2",3\n', True, 3)
def test_polars_reads_what_the_standard_library_reads_or_is_not_asked(text, header, block):
    before, delimited.BLOCK = delimited.BLOCK, block
    try:
        fast, slow = both_ways(text.encode(), header=header)
    except InputError:  # the first line is at fault
        return
    finally:
        delimited.BLOCK = before
    if fast is not None:
        assert fast == slow


PLAIN = {
    "simple": "a,b\n1,2\n3,4\n",
    "no last line end": "a,b\n1,2\n3,4",
    "empty lines at the end": "a,b\n1,2\n3,4\n\n\n",
    "windows": "a,b\r\n1,2\r\n3,4\r\n",
    "quotes": 'a,b\n"1,5","say ""x"""\n"","""y"\n',
    "lines in quotes": 'a,b\r\n"1\r\n2","3\n\n4"\r\n"5\r",6\r\n',
    "hash": "#a,b\n#1,2\n3,#4\n",
    "decimal commas": 'a,b\n"1,5",2\n"2,5",3\n',
    "empty cells": "a,b\n,\n1,\n,2\n",
    "blanks": "a,b\n 1, 2 \n3 ,\t4\n",
    "same names": "a,a\n1,2\n3,4\n",
    "not ASCII": "größe,b\n1,é\n日,😀\n",
    "NUL": "a,b\n1,2\0\n\0,4\n",
    "marks": "a,b\nNA,null\nnan,None\n",
}


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_polars_reads_regular_files(text, header):
    fast, slow = both_ways(text.encode(), header=header)
    assert fast is not None
    assert fast == slow


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "utf-7"])
def test_other_encodings_are_read_by_polars_too(encoding):
    fast, slow = both_ways("größe,b\n1,é\n2,ü\n".encode(encoding), encoding=encoding)
    assert fast == slow == [["1", "2"], ["é", "ü"]]


UNUSUAL = {
    "an empty line": ("a,b\n1,2\n\n3,4\n", [["1", "3"], ["2", "4"]]),
    "an empty first line": ("\n\na,b\n1,2\n", [["1"], ["2"]]),
    "a line of blanks": ("a,b\n1,2\n   \n3,4\n", [["1", "3"], ["2", "4"]]),
    "old line ends": ("a,b\r1,2\r3,4\r", [["1", "3"], ["2", "4"]]),
    "a quote inside a field": ('a,b\n5" pipe,2\n3,4\n', [['5" pipe', "3"], ["2", "4"]]),
    "a quote after a blank": ('a,b\n "1",2\n3,4\n', [[' "1"', "3"], ["2", "4"]]),
    "one column": ("a\n1\n\n2\n", [["1", "2"]]),
}


@pytest.mark.parametrize(("text", "columns"), UNUSUAL.values(), ids=UNUSUAL)
def test_the_standard_library_reads_what_is_merely_unusual(text, columns):
    fast, slow = both_ways(text.encode(), encoding="utf-8-sig")
    assert fast is None
    assert slow == columns


@pytest.mark.parametrize("start", ["\ufeff", " ", "\t"])
def test_what_the_first_cell_begins_with_is_kept(start):
    content = f"{start}1\t2\n3\t4\n".encode("utf-8-sig")
    expected = [["", "3"], ["1", "4"], ["2", ""]] if start == "\t" else [[f"{start}1", "3"], ["2", "4"]]
    if start == "\t":
        content = content.replace(b"4", b"4\t")
    assert both_ways(content, "\t", header=False, encoding="utf-8-sig") == (None, expected)


@pytest.mark.parametrize("separator", [" ", "§"])
def test_separators_that_polars_does_not_know(separator):
    text = "a b\n1   2\n" if separator == " " else "a§b\n1§2\n"
    assert both_ways(text.encode(), separator) == (None, [["1"], ["2"]])


@pytest.mark.parametrize("quote", ["", '"'])
def test_the_longest_field(quote):
    """A field of that size is read, and a longer one is taken for a quote that is never closed."""
    for extra, fits in ((0, True), (1, False)):
        fast, slow = both_ways(f"a,b\n{quote}{'x' * (MAX_FIELD + extra)}{quote},2\n".encode())
        assert fast is None
        assert isinstance(slow, list) is fits
        assert fits or "never closed" in slow
    fast, slow = both_ways(f"a,b\n{quote}{'x' * (MAX_FIELD - 10)}{quote},2\n".encode())
    assert fast == slow


def test_records_are_counted_across_blocks(monkeypatch):
    data = b'a,b\n"1,""\n2",3\r\n4,5\n' * 5
    for block in range(1, 40):
        monkeypatch.setattr(delimited, "BLOCK", block)
        assert count_records(data, ord(","), 2) == 15
        assert count_records(data + b"6\n", ord(","), 2) is None
        assert count_records(data + b'6,"7\n', ord(","), 2) is None
        assert count_records(data + b"6,7\r8,9\n", ord(","), 2) is None


def test_faults_are_named_by_their_line_also_after_lines_in_quotes(make):
    with pytest.raises(InputError, match="line 5: 1 field where the header has 2"):
        read(make('a,b\n"1\n1",2\n3,4\n5\n'))


def test_names_are_checked_before_rows(make):
    with pytest.raises(InputError, match="two columns named 'a'"):
        read(make("a,a\n1\n"))


def test_many_columns(make):
    names = [f"c{i}" for i in range(3000)]
    table = read(make(",".join(names) + "\n" + "\n".join(",".join([str(k)] * 3000) for k in range(3)) + "\n"))
    assert table.names == names
    assert np.all(table.frame.to_numpy() == np.arange(3.0)[:, None])

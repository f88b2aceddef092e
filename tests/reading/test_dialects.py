"""The encoding and the separator of a text file."""

from __future__ import annotations

import pytest

from kmerf.core.errors import InputError
from kmerf.reading.delimited import sniff
from kmerf.reading.files import read

CSV = "age,arm,ok,seen\n31,a,true,2020-01-01\n,b,FALSE,2020-01-02\n4.5e1,a,,2020-01-03\nNA,NA,True,2020-02-01\n"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_detected_and_named(make, separator):
    table = read(make(CSV.replace(",", separator), "t.txt"))
    assert table.names == ["age", "arm", "ok", "seen"]
    spoken = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[separator]
    assert table.source.separator == spoken


def test_the_separator_is_the_one_that_fits_all_lines():
    assert sniff("f", "a;b\n1,5;2\n2,5;3\n") == ";"
    assert sniff("f", 'a,b\n"1;2;3",2\n"4;5;6",3\n') == ","
    assert sniff("f", "one\n1\n2\n") == ","


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_a_mark(make, encoding):
    assert read(make("größe,y\n1,2\n".encode(encoding))).names == ["größe", "y"]


def test_a_named_encoding(make):
    assert read(make("größe,y\n1,2\n".encode("cp1252")), encoding="cp1252").names == ["größe", "y"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sep": "||"}, "one character"),
        ({"sep": ";"}, "leave out --sep, or pass --sep comma"),
        ({"encoding": "latin-99"}, "--encoding 'latin-99' is not known"),
        ({"encoding": "base64"}, "is not known"),
        ({"encoding": "utf-16"}, "utf-16"),
    ],
)
def test_refused_options(make, options, says):
    with pytest.raises(InputError, match=says.replace("(", r"\(")):
        read(make(CSV), **options)


REFUSED = {
    "latin-1": ("a,b\n1,2\nü,3\n".encode("latin-1"), "byte 0xfc in line 3"),
    "utf-16 without mark": ("a,b\n1,2\n".encode("utf-16-le"), "--encoding utf-16-le"),
    "binary": (bytes(range(256)) * 4, "is binary"),
    "spaces": (b"a b\n1 2\n3 4\n", "--sep ' '"),
    "json": (b"[1, 2]", "JSON"),
    "html": (b"<html></html>", "HTML"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED)
def test_refused_files(check_refusal, content, says):
    check_refusal(content, says)

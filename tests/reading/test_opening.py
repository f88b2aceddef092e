"""Where bytes come from: files, pipes and standard input, compressed or not, and what cannot be opened."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from pathlib import Path

import pytest
import zstandard

from kmerf.core.errors import InputError
from kmerf.reading.files import read
from kmerf.reading.opening import HEAD, find

CSV = "age,arm,ok,seen\n31,a,true,2020-01-01\n,b,FALSE,2020-01-02\n4.5e1,a,,2020-01-03\nNA,NA,True,2020-02-01\n"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_compression_is_known_by_content(make, pack):
    table = read(make(pack(CSV.encode()), "misnamed.csv"))
    assert table.rows == 4
    assert table.source.packed in ("gzip", "bzip2", "xz", "zstd")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(CSV.encode()))))
    assert read("-").rows == 4


def test_a_pipe_is_read_once(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: Path(pipe).write_bytes(CSV.encode()), daemon=True)
    writer.start()
    assert read(pipe).rows == 4
    writer.join()


def test_refused_paths(tmp_path, make):
    make(CSV, "wine.csv")
    for path, says in {
        str(tmp_path): "is a directory",
        str(tmp_path / "wien.csv"): "did you mean",
        str(tmp_path / "no" / "t.csv"): "does not exist",
        "https://example.org/t.csv": "download",
        "": "not the name of a file",
        "a\0b": "not the name of a file",
    }.items():
        with pytest.raises(InputError, match=says):
            read(path)


REFUSED = {
    "empty": (b"", "is empty"),
    "only blanks": (b" \n\n ", "is empty"),
    "empty, compressed": (gzip.compress(b""), "is empty"),
    "zip": (b"PK\x03\x04rest", "a zip archive"),
    "old excel": (b"\xd0\xcf\x11\xe0rest", "Excel"),
    "feather 1": (b"FEA1rest", "version 1"),
    "cut gzip": (gzip.compress(CSV.encode() * 99)[:-20], "cut short"),
    "damaged gzip": (b"\x1f\x8b\x08\x00junkjunkjunk", "damaged"),
    "cut xz": (lzma.compress(CSV.encode() * 99)[:-30], "cut short"),
    "cut zstd": (b"\x28\xb5\x2f\xfdjunk", "damaged"),
    "damaged zstd": (zstandard.compress(CSV.encode() * 99)[:40] + b"junk" * 9, "damaged"),
}


@pytest.mark.parametrize(("content", "says"), REFUSED.values(), ids=REFUSED)
def test_refused_files(check_refusal, content, says):
    check_refusal(content, says)


def test_an_origin_can_be_read_again_and_knows_whether_it_saw_all(make):
    short, long = find(make("a,b\n1,2\n")), find(make("a,b\n" + "1,2\n" * HEAD, "long.csv"))
    assert (short.whole, long.whole, len(long.head)) == (True, False, HEAD)
    for _ in range(2):
        with short.open() as stream:
            assert stream.read() == b"a,b\n1,2\n"


def test_standard_input_with_nothing_piped_in(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="nothing is piped in"):
        find("-")

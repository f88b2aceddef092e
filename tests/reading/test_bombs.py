"""Small files that would become very large ones, and conditions that are very long."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys

import pytest
import zstandard

from kmerf.core.errors import InputError
from kmerf.reading import opening
from kmerf.reading.files import read
from kmerf.reading.where import keep

PACKING = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstandard.compress}


def packed(kind, megabytes):
    """A table whose cells are a row of zeros, many times."""
    out = io.BytesIO()
    line = b"x,y\n" + b"0,0\n" * (1 << 18)
    if kind == "zstd":
        with zstandard.ZstdCompressor(level=19).stream_writer(out, closefd=False) as stream:
            for _ in range(megabytes):
                stream.write(line)
        return out.getvalue()
    return PACKING[kind](line * megabytes)


@pytest.mark.parametrize("kind", PACKING)
def test_a_file_that_unpacks_to_far_more_than_itself_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(opening, "MAX_UNPACKED", 4 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(packed(kind, 12))
    with pytest.raises(InputError, match=r"unpacks to more than \d+ MB: if that is right, unpack it yourself"):
        read(str(path))


@pytest.mark.parametrize("kind", PACKING)
def test_a_table_that_packs_well_is_read(tmp_path, kind):
    path = tmp_path / "table"
    path.write_bytes(packed(kind, 1))
    assert read(str(path)).rows == 1 << 18


def test_a_bomb_takes_little_memory(tmp_path):
    """A gigabyte and more in 100 kB, with 700 MB to work in."""
    (tmp_path / "bomb").write_bytes(packed("zstd", 1300))
    assert (tmp_path / "bomb").stat().st_size < 400_000
    code = f"""
import resource, polars
from kmerf.core.errors import InputError
from kmerf.reading import opening
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
origin = opening.find({str(tmp_path / "bomb")!r})
try:
    with origin.open() as stream:
        while stream.read(1 << 20):
            pass
except InputError as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    grown, message = done.stdout.split(" ", 1)
    assert int(grown) < 200_000  # kB
    assert "unpacks to more than 1024 MB" in message


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,y\n" + "".join(f"{i},{i % 3}\n" for i in range(20)), encoding="utf-8")
    return read(str(path))


@pytest.mark.parametrize("word", ["or", "and"])
def test_a_condition_of_2800_terms(table, word):
    assert keep(f" {word} ".join(["y>1"] * 2000 + ["y>0"] * 100), table).rows.sum() == {"or": 13, "and": 6}[word]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("age > " + "9" * 9000, 0),
        ("age < " + "9" * 9000, 20),
        ("age > 0." + "3" * 9000, 19),
        ("age < 1e" + "9" * 5000, 20),
        (f"age in ({','.join(['1'] * 5000)})", 1),
        ("not " * 50 + "age > 9", 10),
    ],
)
def test_long_numbers_and_lists(table, condition, rows):
    assert keep(condition, table).rows.sum() == rows

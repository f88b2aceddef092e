"""The digest of sources: what a module says and imports counts, and where it stands does not."""

import pytest

from kmerf import KMERF, KmerfError, Permutation
from kmerf.storage.provenance import HARMLESS, code_version, digest

START = """\
import math
from kmerf.low.a import f

def g():
    return math.pi * f()
"""
SAME = {
    "order": "from kmerf.low.a import f\nimport math\n\ndef g():\n    return math.pi * f()\n",
    "later": "def g():\n    import math\n    from kmerf.low.a import f\n    return math.pi * f()\n",
    "types": START + "\nif TYPE_CHECKING:\n    from kmerf.low.b import f as h\n",
    "words": '"""Words."""\n'
    + START.replace("import f", "import f  # why").replace("    return", "    'More.'\n    return"),
}
OTHER = {
    "module": START.replace("low.a", "low.b"),
    "name": START.replace("import f", "import e as f"),
    "package": START.replace("import math", "import cmath as math"),
    "body": START.replace("math.pi", "math.e"),
}


def small_digest(folder, start):
    """Return the digest of a package of three modules, the first of which imports from the second."""
    sources = {"top/start": start, "low/a": "def f():\n    return 1\ndef e():\n    return 3\n", "low/b": "def f(): 2\n"}
    for name, source in sources.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    return digest(frozenset({"kmerf.top.start"}), folder)


@pytest.mark.parametrize("start", SAME.values(), ids=SAME)
def test_where_and_in_which_order_names_are_imported_does_not_matter(tmp_path, start):
    assert small_digest(tmp_path / "one", start) == small_digest(tmp_path / "two", START)


@pytest.mark.parametrize("start", OTHER.values(), ids=OTHER)
def test_what_is_imported_matters(tmp_path, start):
    assert small_digest(tmp_path / "one", start) != small_digest(tmp_path / "two", START)


def test_a_module_without_a_source_is_an_error(tmp_path):
    small_digest(tmp_path, START)
    (tmp_path / "low" / "a.py").unlink()
    digest.cache_clear()
    with pytest.raises(KmerfError, match=r"rests on kmerf.low.a, which has no source in .*: install kmerf again"):
        digest(frozenset({"kmerf.top.start"}), tmp_path)


def test_a_harmless_module_counts_only_where_it_is_asked_for(tmp_path):
    plain = small_digest(tmp_path, START)
    start, low = frozenset({"kmerf.top.start"}), frozenset({"kmerf.low.a"})
    without = digest(start, tmp_path, HARMLESS | low)
    assert without != plain
    assert digest(start | low, tmp_path, HARMLESS | low) != without


def test_the_version_is_that_of_the_settings_and_of_the_modules():
    none = frozenset()
    assert code_version(KMERF(), none) != code_version(Permutation(), none)
    assert code_version(Permutation(9), none) == code_version(Permutation(99), none)
    assert code_version(Permutation(), frozenset({"kmerf.engine.grow"})) != code_version(Permutation(), none)

"""Which code computed a row. A resumed store must not mix engines, so the answer is part of every cell's key.

It is the version of kmerf and a digest (`kmerf.core.provenance`) of the sources that the row depends on: the modules
of kmerf that define the classes in the test's settings, `kmerf.study.replicate` and `kmerf.study.sources`, and whatever
these import of kmerf, but for what is `HARMLESS`. Rows of other code stay in the store, unread.
"""

from __future__ import annotations

from typing import Any

from kmerf.core import provenance
from kmerf.core.provenance import code_version, own_modules
from kmerf.core.settings import walk

ALWAYS = frozenset({"kmerf.study.replicate", "kmerf.study.sources"})
JUDGING = frozenset({"kmerf.nulls.judging", "kmerf.nulls.permutation"})
# They cannot change a statistic; the design of a study is in the keys. A null counts for tests that have one.
HARMLESS = provenance.HARMLESS | {"kmerf.nulls.judging", "kmerf.study.design", "kmerf.study.version"}


def code(test: Any) -> str:
    """Return the version of all that the rows of a method and a null depend on; not on how nulls judge, without one."""
    return code_version(test, rests_on(test), HARMLESS)


def rests_on(test: Any) -> frozenset[str]:
    """Return the modules of kmerf that the rows of a method and a null rest on, with all that these import."""
    return ALWAYS | own_modules(test) | (frozenset() if test[1] is None else JUDGING)


def is_current(test: Any, expected: str) -> bool:
    """Tell whether this process has the expected code; what a script defines travels to workers as it is."""
    return any(type(part).__module__ == "__main__" for part in walk(test)) or code(test) == expected

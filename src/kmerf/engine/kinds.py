"""The kinds of proximity, as compiled loops number them (`kmerf.forests.leaves` says what each counts)."""

from __future__ import annotations

ALL, EITHER, OOB = 0, 1, 2
KINDS = {"all": ALL, "either": EITHER, "oob": OOB}

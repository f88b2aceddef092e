"""Options that people know by another name, from other commands or libraries: the error says what they are here."""

from __future__ import annotations

_SEED = "--seed makes a run repeatable"
_PERMUTATIONS = "--resamples says how many permutations"
_WORKERS = "--jobs is the number of workers"
_GROUPS = "--groups names the column that tells the groups"
_TREES = "--trees says how many trees a forest has"
KNOWN_ELSEWHERE = {
    "--random-state": _SEED,
    "--rng": _SEED,
    "--permutations": _PERMUTATIONS,
    "--n-resamples": _PERMUTATIONS,
    "--reps": _PERMUTATIONS,
    "--workers": _WORKERS,
    "--n-jobs": _WORKERS,
    "--n-trees": _TREES,
    "--n-estimators": _TREES,
    "--target": "--y names what may depend on the others",
    "--group": _GROUPS,
    "--by": _GROUPS,
    "--covariates": "--given names what to adjust for",
    "--sample": "--rows tests a random sample of the rows",
}
_TIMES = "for times until an event, ask kmerf independence FILE --x GROUPS --time TIME --event EVENT"
_OF_COMMANDS = {
    ("ksample", "--time"): _TIMES,
    ("ksample", "--event"): _TIMES,
    ("ksample", "--y"): _GROUPS,
    ("independence", "--groups"): "--y names what may depend on the others; kmerf ksample compares groups",
}


def known_elsewhere(command: str, option: str) -> str | None:
    """Say what an option that a command does not have is called here; None where that is not known.

    >>> known_elsewhere("ksample", "--y")
    '--groups names the column that tells the groups'
    >>> known_elsewhere("screen", "--random_state")
    '--seed makes a run repeatable'
    """
    name = option.replace("_", "-").lower()
    return _OF_COMMANDS.get((command, name)) or KNOWN_ELSEWHERE.get(name)

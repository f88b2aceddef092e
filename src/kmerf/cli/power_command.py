"""`kmerf power`: plan a study, run what its store lacks, show the power."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from kmerf.cli import choices, machine, show, write
from kmerf.cli.options import Output
from kmerf.cli.running import running
from kmerf.cli.stops import Stopped, UsageError, going_on, pick
from kmerf.core.errors import InputError
from kmerf.methods.portfolio import Portfolio
from kmerf.methods.registry import FORESTS, METHODS
from kmerf.study.design import Study
from kmerf.study.estimate import power as read_power
from kmerf.study.execute import run as run_study
from kmerf.study.sources import Simulated


def plan(
    simulations: Sequence[str],
    tests: Sequence[str],
    n: Sequence[int],
    p: Sequence[int],
    kappa: float,
    definition: str,
    replicates: int,
    trees: int | None,
    seed: int,
) -> Study:
    """Return the study of every test on every simulation, size and dimension."""
    if replicates < 1:
        raise InputError(f"--replicates {replicates} must be a whole number of at least 1: pass 100, for example.")
    for test in tests:
        pick("--test", test, tuple(METHODS))
    if trees is not None and not set(FORESTS) & set(tests):
        raise UsageError("--trees is for tests that grow forests: leave it out")
    methods = {t: choices.make_method(t, trees if t in FORESTS else None, Portfolio()) or Portfolio() for t in tests}
    data = [Simulated(name, rows, dim, kappa, definition) for name in simulations for rows in n for dim in p]
    return Study(methods, data, replicates=replicates, seed=seed)


def power(study: Study, store: str, level: float, output: Output) -> None:
    """Run what the store lacks, and show the power of every cell."""
    if not 0 < level < 1:
        raise InputError(f"--level {level:g} must be between 0 and 1: 0.05, for example.")
    _enough(study.replicates, level)
    write.check_place("--store", store)
    if output.report is not None:
        write.check_place("--report", output.report)
        write.need_report()
    with running(output) as how:
        try:
            added = run_study(study, store, **how)
        except KeyboardInterrupt:
            raise Stopped(going_on(store)) from None
    powers = read_power(study, store, level=level)
    cells = [machine.cell(c) for c in powers]

    def show_it() -> None:
        if output.json:
            print(machine.document("power", {"store": store, "added": added, "cells": cells}))
            return
        if not output.quiet:
            console, there = show.console(sys.stderr), len(study.cells) * study.replicates - added
            console.print(f"{added} replicates computed, {there} were in {store!r} already.", markup=False)
        show.power(show.console(sys.stdout), powers)

    page = write.OutputFile("--report", output.report or "", lambda: write.report(powers, command=machine.command()))
    write.deliver(show_it, [] if output.report is None else [page])


def _enough(replicates: int, level: float) -> None:
    """Refuse so few replicates that there is no cutoff among their permuted statistics (`kmerf.study.estimate`)."""
    need = math.ceil(round(1 / level, 6))
    if replicates < need:
        finding = f"--replicates {replicates} says nothing at --level {level:g}, which needs at least {need}"
        raise InputError(finding, remedy=f"pass --replicates {max(need, 100)}, for example")

"""Nulls and relations given a z of which few rows share a value: subjects, batches, raters, numbers with repeats.

As in `conditional_data`, each function returns x, y and z. In `STRATA` x and y are independent given z; levels of z
move both. In `STRATA_RELATIONS` y also depends on x. In `STRATA_SHARES` it is known how well z and x can predict y.
`SCREENS` have fifty columns of x, or ten, none of which y depends on given z.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

Rng = np.random.Generator
Triple = tuple[Any, Any, Any]


def _levels(group: Any) -> Any:
    return pd.Categorical([f"level {number}" for number in group])


def _balanced(rng: Rng, n: int, rows: int) -> Any:
    return rng.permutation(np.repeat(np.arange(-(-n // rows)), rows)[:n])


def _uneven(rng: Rng, n: int, mean: float) -> Any:
    """Return levels whose sizes vary from 1 to several times their mean."""
    weights = rng.gamma(1.0, size=max(2, round(n / mean)))
    return rng.choice(weights.size, n, p=weights / weights.sum())


def _moved(rng: Rng, group: Any, more: Any = 0.0, noise: float = 1.0) -> tuple[Any, Any]:
    """Return x and y that both follow the same effect of each level, and `more`."""
    effect = rng.normal(size=int(group.max()) + 1)[group] + more
    return effect + noise * rng.normal(size=group.size), effect + noise * rng.normal(size=group.size)


def subjects_2(rng: Rng, n: int) -> Triple:
    """Subjects, two rows each."""
    group = _balanced(rng, n, 2)
    return *_moved(rng, group), pd.DataFrame({"subject": _levels(group)})


def subjects_3(rng: Rng, n: int) -> Triple:
    """Subjects, three rows each."""
    group = _balanced(rng, n, 3)
    return *_moved(rng, group), pd.DataFrame({"subject": _levels(group)})


def subjects_4(rng: Rng, n: int) -> Triple:
    """Subjects, four rows each."""
    group = _balanced(rng, n, 4)
    return *_moved(rng, group), pd.DataFrame({"subject": _levels(group)})


def subjects_5(rng: Rng, n: int) -> Triple:
    """Subjects, five rows each; their effects are large."""
    group = _balanced(rng, n, 5)
    return *_moved(rng, group, noise=0.3), pd.DataFrame({"subject": _levels(group)})


def uneven_4(rng: Rng, n: int) -> Triple:
    """Levels of four rows on average, from one to many."""
    group = _uneven(rng, n, 4)
    return *_moved(rng, group), pd.DataFrame({"site": _levels(group)})


def uneven_15(rng: Rng, n: int) -> Triple:
    """Half of the rows have a level of their own, the others share theirs with one."""
    group = np.append(np.arange(n // 2), n // 2 + np.repeat(np.arange(n), 2)[: n - n // 2])
    return *_moved(rng, group), pd.DataFrame({"household": _levels(group)})


def ids_and_age(rng: Rng, n: int) -> Triple:
    """Subjects by number, two rows each, as one numeric column, and a number that moves both."""
    group, age = np.repeat(np.arange(n), 2)[:n], rng.normal(size=n)
    return *_moved(rng, group, age), np.column_stack([group, age])


def numbers_2(rng: Rng, n: int) -> Triple:
    """Subjects by number, 1 to 4 rows each, as one numeric column."""
    group = np.repeat(np.arange(n), rng.integers(1, 5, n))[:n]
    return *_moved(rng, group), group.astype(float)


def two_categories(rng: Rng, n: int) -> Triple:
    """Subjects of four rows in two conditions; both and their product matter."""
    group, condition = np.repeat(np.arange(-(-n // 4)), 4)[:n], np.tile([0, 0, 1, 1], n)[:n]
    joint = 2 * group + condition
    return *_moved(rng, joint), pd.DataFrame({"subject": _levels(group), "condition": _levels(condition)})


def spread_strata(rng: Rng, n: int) -> Triple:
    """Levels of three rows move the spread of both, and both have heavy tails."""
    group = _balanced(rng, n, 3)
    size = np.exp(rng.normal(size=n))[group]
    x, y = (size * (2 + rng.standard_t(2, n)) for _ in range(2))
    return x, y, pd.DataFrame({"batch": _levels(group)})


def classes_strata(rng: Rng, n: int) -> Triple:
    """Y is one of three classes, whose shares differ between pairs."""
    group = _balanced(rng, n, 2)
    x, y = _moved(rng, group)
    return x, np.array(["low", "middle", "high"])[np.digitize(y, [-0.7, 0.7])], pd.DataFrame({"pair": _levels(group)})


def pairs_and_age(rng: Rng, n: int) -> Triple:
    """Subjects of two rows, and a number that moves both along a line."""
    group, age = _balanced(rng, n, 2), rng.normal(size=n)
    return *_moved(rng, group, age), pd.DataFrame({"subject": _levels(group), "age": age})


def pairs_and_bend(rng: Rng, n: int) -> Triple:
    """Subjects of two rows, and a number that moves both along a parabola."""
    group, age = _balanced(rng, n, 2), rng.normal(size=n)
    return *_moved(rng, group, age**2), pd.DataFrame({"subject": _levels(group), "age": age})


def own_ages(rng: Rng, n: int) -> Triple:
    """Subjects of three rows, an age that hardly varies inside subjects, and noise of its own for each column."""
    group = _balanced(rng, n, 3)
    age = 3 * rng.normal(size=n)[group] + 0.5 * rng.normal(size=n)
    return *_moved(rng, group, age), pd.DataFrame({"subject": _levels(group), "age": age, "other": rng.normal(size=n)})


def uneven_and_waves(rng: Rng, n: int) -> Triple:
    """Levels of four rows on average, and two numbers: a wave and a step."""
    group, z = _uneven(rng, n, 4), rng.uniform(size=(n, 2))
    more = np.sin(2 * np.pi * z[:, 0]) + (z[:, 1] > 0.6)
    return *_moved(rng, group, more), pd.DataFrame({"site": _levels(group), "dose": z[:, 0], "size": z[:, 1]})


def pairs_and_period(rng: Rng, n: int) -> Triple:
    """Subjects seen in both of two periods: no two rows are alike in both."""
    group, period = np.repeat(np.arange(-(-n // 2)), 2)[:n], np.tile([0, 1], n)[:n]
    return *_moved(rng, group, 1.5 * period), pd.DataFrame({"subject": _levels(group), "period": _levels(period)})


def raters_and_items(rng: Rng, n: int) -> Triple:
    """Raters and items of five rows each, crossed."""
    rater, item = _balanced(rng, n, 5), _balanced(rng, n, 5)
    more = rng.normal(size=int(item.max()) + 1)[item]
    return *_moved(rng, rater, more), pd.DataFrame({"rater": _levels(rater), "item": _levels(item)})


def dummies_and_age(rng: Rng, n: int) -> Triple:
    """Subjects of three rows as columns of zeros and ones, and a number."""
    group, age = _balanced(rng, n, 3), rng.normal(size=n)
    return *_moved(rng, group, age), np.column_stack([np.eye(int(group.max()) + 1)[group], age])


def spread_and_age(rng: Rng, n: int) -> Triple:
    """Subjects of two rows, and a number that moves the level and the spread of both."""
    group, age = _balanced(rng, n, 2), rng.normal(size=n)
    x, y = (np.exp(age / 2) * rng.normal(size=n) for _ in range(2))
    both = rng.normal(size=n)[group] + age
    return both + x, both + y, pd.DataFrame({"subject": _levels(group), "age": age})


def slopes_8(rng: Rng, n: int) -> Triple:
    """Levels of eight rows, each with its own slope along a number."""
    group, age = _balanced(rng, n, 8), rng.normal(size=n)
    slopes = 0.5 * rng.normal(size=n)[group]
    return *_moved(rng, group, age * (1 + slopes)), pd.DataFrame({"site": _levels(group), "age": age})


def uneven_12(rng: Rng, n: int) -> Triple:
    """Levels of twelve rows on average, from one to many, and a number."""
    group, age = _uneven(rng, n, 12), rng.normal(size=n)
    return *_moved(rng, group, age), pd.DataFrame({"site": _levels(group), "age": age})


def line_in_pairs(rng: Rng, n: int) -> Triple:
    """A line inside subjects of two rows."""
    x, y, z = subjects_2(rng, n)
    return x, y + 0.4 * x, z


def bend_in_fours(rng: Rng, n: int) -> Triple:
    """A parabola inside subjects of four rows."""
    group = _balanced(rng, n, 4)
    own = rng.normal(size=n)
    effect = rng.normal(size=n)[group]
    return own, effect + 0.5 * own**2 + rng.normal(size=n), pd.DataFrame({"subject": _levels(group)})


def line_in_pairs_and_age(rng: Rng, n: int) -> Triple:
    """A line inside subjects of two rows, beyond a number."""
    x, y, z = pairs_and_age(rng, n)
    return x, y + 0.4 * x, z


def line_in_uneven(rng: Rng, n: int) -> Triple:
    """A line inside levels of four rows on average."""
    x, y, z = uneven_4(rng, n)
    return x, y + 0.4 * x, z


def noise_60_of_5(rng: Rng, n: int) -> Triple:
    """Noise, in strata of five rows: R2 is 0."""
    return rng.normal(size=n), rng.normal(size=n), pd.DataFrame({"batch": _levels(_balanced(rng, n, 5))})


def noise_classes_of_5(rng: Rng, n: int) -> Triple:
    """Two classes at random, in strata of five rows: AUC is 0.5."""
    return rng.normal(size=n), rng.choice(["a", "b"], n), pd.DataFrame({"batch": _levels(_balanced(rng, n, 5))})


def noise_and_age(rng: Rng, n: int) -> Triple:
    """Noise, in pairs, beside a number: R2 is 0."""
    z = pd.DataFrame({"pair": _levels(_balanced(rng, n, 2)), "age": rng.normal(size=n)})
    return rng.normal(size=n), rng.normal(size=n), z


def half_of_20(rng: Rng, n: int) -> Triple:
    """Strata of twenty rows make half of the variance, and x nothing: R2 is a little below 0.5."""
    group = _balanced(rng, n, 20)
    return rng.normal(size=n), _moved(rng, group)[1], pd.DataFrame({"batch": _levels(group)})


def screen_2(rng: Rng, n: int) -> Triple:
    """Two batches that move everything."""
    batch = rng.permutation(np.arange(n) % 2)
    return batch[:, None] + rng.normal(size=(n, 50)), batch + rng.normal(size=n), batch


def screen_3_skewed(rng: Rng, n: int) -> Triple:
    """Three batches, skewed columns and y."""
    batch = rng.permutation(np.arange(n) % 3)
    return np.exp(batch[:, None] + rng.normal(size=(n, 50))), np.exp(batch + rng.normal(size=n)), batch


def screen_classes(rng: Rng, n: int) -> Triple:
    """Two classes, more of one in one of two batches."""
    batch = np.arange(n) % 2
    y = np.where(rng.random(n) < 0.3 + 0.4 * batch, "a", "b")
    return batch[:, None] + rng.normal(size=(n, 50)), y, batch


def screen_pairs(rng: Rng, n: int) -> Triple:
    """Subjects of two rows."""
    group = _balanced(rng, n, 2)
    x = rng.normal(size=(n, 50))[group] + rng.normal(size=(n, 50))
    return x, _moved(rng, group)[1], pd.DataFrame({"subject": _levels(group)})


def screen_pairs_and_age(rng: Rng, n: int) -> Triple:
    """Subjects of two rows, and a number that moves everything; ten columns."""
    group, age = _balanced(rng, n, 2), rng.normal(size=n)
    x = rng.normal(size=(n, 10))[group] + age[:, None] + rng.normal(size=(n, 10))
    return x, _moved(rng, group, age)[1], pd.DataFrame({"subject": _levels(group), "age": age})


_Draw = Callable[[Rng, int], Triple]
_NULLS: tuple[_Draw, ...] = (
    subjects_2,
    subjects_3,
    subjects_4,
    subjects_5,
    uneven_4,
    uneven_15,
    numbers_2,
    two_categories,
    spread_strata,
    classes_strata,
    pairs_and_age,
    pairs_and_bend,
    own_ages,
    uneven_and_waves,
    pairs_and_period,
    raters_and_items,
    dummies_and_age,
    ids_and_age,
    spread_and_age,
    slopes_8,
    uneven_12,
)
_RELATIONS: tuple[_Draw, ...] = (line_in_pairs, line_in_uneven, bend_in_fours, line_in_pairs_and_age)
STRATA: dict[str, _Draw] = {draw.__name__: draw for draw in _NULLS}
STRATA_RELATIONS: dict[str, _Draw] = {draw.__name__: draw for draw in _RELATIONS}
STRATA_SHARES: dict[str, _Draw] = {
    draw.__name__: draw for draw in (noise_60_of_5, noise_classes_of_5, noise_and_age, half_of_20)
}
SCREENS: dict[str, _Draw] = {
    draw.__name__: draw for draw in (screen_2, screen_3_skewed, screen_classes, screen_pairs, screen_pairs_and_age)
}
SCREEN_ROWS = {
    "screen_2": (10, 15, 20, 40),
    "screen_3_skewed": (15,),
    "screen_classes": (16,),
    "screen_pairs": (20,),
    "screen_pairs_and_age": (60,),
}

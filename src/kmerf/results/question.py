"""A question as a value: what it asks, what its answer says and leaves open, and how to ask it.

A new question is an entry of `QUESTIONS`, the function that asks it in `kmerf.questions`, and its public name in
`kmerf/__init__.py`; for the shell, a command in `kmerf.cli.app`. Words hold names in braces, which
`kmerf.show.words.names_of` fills in:

| name | |
|---|---|
| `{y}`, `{of_y}`, `{x}` | the names of y and of the columns of x, and " of y" if y has a name |
| `{groups}`, `{in_x}` | the groups by their names, and " in a, b and 2 more" if columns have names |
| `{Does}`, `{is}` | the verbs of y, for one column or several |
| `{x_it}`, `{x_predicts}`, `{y_it}` | the pronouns of x and y |
| `{given}` | ", given age" if the answer is given age |
| `{why}` | what of groups the test leaves open |
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Question:
    """What can be asked of data."""

    name: str
    """As in `Result.question` and in JSON."""
    title: str
    """The head of an answer."""
    asks: str
    """The question in full."""
    limit: str
    """What the answer leaves open."""
    python: str
    """The call in Python; `{options}` stands for the seed and what else is needed."""
    shell: str
    """The command in the shell, without them."""
    outcome: str
    """The class of the answer."""
    asks_groups: str = ""
    """The question in full if y is groups and the question then differs."""

    def calls(
        self, seed: int, *, censored: bool = False, given: bool = False, exchange: str = "", pairwise: bool = False
    ) -> tuple[str, str]:
        """Return the call in Python and the command in the shell that give the same numbers.

        `exchange` is what was tested with blocks, and empty without them.

        >>> QUESTIONS["ksample"].calls(7, given=True)[0]
        'kmerf.ksample(table, groups=groups, given=z, rng=7)'
        >>> QUESTIONS["independence"].calls(7, censored=True)[1]
        'kmerf independence FILE --time COLUMN --event COLUMN --seed 7'
        >>> QUESTIONS["ksample"].calls(7, exchange="within")[1]
        'kmerf ksample FILE --groups COLUMN --blocks COLUMN --exchange within --seed 7'
        """
        python = (', y_kind="censored"' if censored else "") + (", given=z" if given else "")
        shell = " --given COLUMN" if given else ""
        if exchange:
            python += f', blocks=blocks, exchange="{exchange}"'
            shell += f" --blocks COLUMN --exchange {exchange}"
        if pairwise:
            python, shell = f"{python}, pairwise=True", f"{shell} --pairwise"
        python, shell = f"{python}, rng={seed}", f"{shell} --seed {seed}"
        command = self.shell.replace("--y COLUMN", "--time COLUMN --event COLUMN") if censored else self.shell
        return self.python.format(options=python), command + shell


@dataclass(frozen=True, kw_only=True)
class Hypothesis(Question):
    """A question that one p-value answers."""

    permuted: str
    """What is permuted."""
    found: str
    """What there is evidence of, or no clear evidence of."""
    faint: str
    """The end of the answer if the relation is too weak to predict anything."""
    no_effect: str
    """What the p-value assumes."""
    no_proof: str
    """What a large p-value does not show."""
    classes: str
    """How many classes y has."""
    of_classes: str
    """Whose variance is predicted if y is classes."""
    names_y: bool = True
    """Whether y is a variable with a name, rather than a label of groups."""


INDEPENDENCE = Hypothesis(
    name="independence",
    title="Test of independence",
    asks="{Does} {y} depend on {x}{given}?",
    limit="The test does not show what causes what.",
    permuted="{y}",
    found="{y} {is} related to {x}",
    faint="so weakly that {x_predicts} {y_it}",
    no_effect="there were no relation",
    no_proof="That does not show that {y} {is} independent of {x_it}: with more rows, a relation may appear.",
    classes="y categorical, {count} classes",
    of_classes="the classes of {y}",
    python="kmerf.independence(x, y{options})",
    shell="kmerf independence FILE --y COLUMN",
    outcome="Result",
)
_ALL = (
    INDEPENDENCE,
    replace(
        INDEPENDENCE,
        name="conditional",
        title="Test of conditional independence",
        python="kmerf.conditional(x, y{options})",
    ),
    Hypothesis(
        name="ksample",
        title="Test of k samples",
        asks="Do {groups} differ{in_x}{given}?",
        limit="The test does not show {why}.",
        permuted="the groups",
        found="{groups} differ{in_x}",
        faint="so little that rows can hardly be assigned to their groups",
        no_effect="the groups did not differ",
        no_proof=(
            "That does not show that the groups are the same: with more rows or other columns, a difference may appear."
        ),
        classes="{count} groups",
        of_classes="the groups",
        names_y=False,
        python="kmerf.ksample(table, groups=groups{options})",
        shell="kmerf ksample FILE --groups COLUMN",
        outcome="Result",
    ),
    Question(
        name="screen",
        title="Screen of {count} {columns}{given}",
        asks="Which columns are related to {y}{given}?",
        asks_groups="In which columns do the groups of {y} differ{given}?",
        limit="each column is tested alone: a screen cannot detect relations that only two columns together show",
        python="kmerf.screen(x, y{options})",
        shell="kmerf screen FILE --y COLUMN",
        outcome="Screen",
    ),
    Question(
        name="associations",
        title="Associations of {count} columns, {pairs} pairs",
        asks="Which columns are related to each other?",
        limit="each pair is tested alone, and rows are assumed to be independent of each other",
        python="kmerf.associations(table{options})",
        shell="kmerf associations FILE",
        outcome="Associations",
    ),
    Question(
        name="plan",
        title="Plan for power {target}",
        asks="How many rows are needed to detect a relation of {y} to x with power {target}?",
        limit="The curve holds if the relation is that of the pilot.",
        python="kmerf.power_curve(x, y{options})",
        shell="kmerf plan FILE --y COLUMN",
        outcome="PowerCurve",
    ),
    Question(
        name="compare",
        title="Comparison of {rows_before} old and {rows_after} new rows",
        asks="Do new rows differ from old ones?",
        limit="The comparison does not show why rows differ.",
        python="kmerf.compare(reference, current{options})",
        shell="kmerf compare OLD NEW",
        outcome="Comparison",
    ),
    Question(
        name="windows",
        title="{windows} windows of new rows",
        asks="Since when do new rows differ from old ones?",
        limit="The comparison does not show why rows differ.",
        python='kmerf.compare(reference, current, by="week"{options})',
        shell="kmerf compare OLD NEW --by week",
        outcome="Timeline",
    ),
    Question(
        name="describe",
        title="{rows} rows, {columns} columns",
        asks="How does kmerf read this table?",
        limit="Nothing is tested.",
        python="kmerf.describe(table{options})",
        shell="kmerf check FILE",
        outcome="Description",
    ),
)
QUESTIONS: dict[str, Question] = {question.name: question for question in _ALL}


def hypothesis(name: str) -> Hypothesis:
    """Return the question that a p-value answers."""
    question = QUESTIONS[name]
    assert isinstance(question, Hypothesis)
    return question

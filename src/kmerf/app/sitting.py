"""One sitting with one table: how it is read, what is asked, what was answered. The server shows it and changes it.

A sitting knows nothing of HTTP. Each action of the page is a method; what they change is in plain fields, from which
`view` makes what the templates show. The table itself is in the process of `kmerf.app.worker`.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from kmerf.app.calls import KINDS, Asked, Failure, Refused, WorkProgress, shell_option
from kmerf.app.choices import (
    DOUBTS,
    METHODS,
    READING,
    SETTINGS,
    AskedQuestion,
    asked_as,
    option_value,
    reason,
    settings,
    whole_number,
)
from kmerf.app.history import Entry, duration, estimate_text, history, multiplicity
from kmerf.core.safe_text import clean

if TYPE_CHECKING:
    from kmerf.app.worker import Worker

CARDS = 60  # columns that are shown at a time
LISTED = 500  # columns up to which they are listed to choose from
PAUSE = 0.4  # seconds without a change before an estimate is made
PATIENCE = 10.0  # seconds after which work that does not stop is ended


class Sitting:
    """Everything that the page shows."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.version = 0  # grows with each change that the page has to fetch
        self.lock = threading.RLock()
        self.file = ""
        self.path = ""
        self.table: dict[str, Any] | None = None
        self.described: dict[str, Any] | None = None
        self.described_as: tuple[Any, ...] = ()  # the y and the options for which columns were described last
        self.reading: dict[str, Any] = {}
        self.form, self.sheets = "text", ()  # of the file, also when it cannot be read with these options
        self.categorical: set[str] = set()
        self.keep: set[str] = set()
        self.drop: set[str] = set()
        self.dates = "auto"
        self.y_kind = "auto"
        self.question = AskedQuestion()
        self.other = ""
        self.other_path = ""
        self.other_rows = 0
        self.declined: set[str] = set()
        self.problem: list[Any] = []
        self.estimate: dict[str, Any] | None = None
        self.estimating = threading.Event()
        self.entries: list[Entry] = []
        self.shown: int | None = None
        self.progress: WorkProgress | None = None
        self.stopping = False

    # --- the table ----------------------------------------------------------------------------------------------------

    def upload_path(self, name: str, role: str = "table") -> Path:
        """Return where a file that is dropped goes: inside the private folder, whatever its name says."""
        plain = PurePosixPath(name.replace("\\", "/")).name
        plain = "".join(c for c in clean(plain) if c not in '\\/:*?"<>|')[-100:].lstrip("-. ")
        return Path(self.worker.folder.name) / role / (plain or "table")

    def open(self, path: str, name: str) -> None:
        """Read another table; all that was said of the one before is forgotten, the history too."""
        self._free()
        with self.lock:
            self.path, self.file = path, name
            self.reading, self.dates, self.y_kind = {}, "auto", "auto"
            self.form, self.sheets = "text", ()
            self.categorical, self.keep, self.drop, self.declined = set(), set(), set(), set()
            self.question = AskedQuestion(seed=_new_seed())
            self.entries, self.shown, self.other = [], None, ""
            self._read()

    def open_other(self, path: str, name: str) -> None:
        """Read the older table of a comparison."""
        self._free()
        with self.lock:
            self.other, self.problem = "", []
            try:
                self.other_rows = self.worker.ask("open", role="other", path=path, options=self.reading)["rows"]
                self.other, self.other_path = name, path
            except Failure as failure:
                self.problem = failure.pieces
            self.estimate = None
            self._changed()
        self._estimate_soon()

    def _read(self) -> None:
        self.table, self.described, self.problem, self.estimate = None, None, [], None
        try:
            self.table = self.worker.ask("open", role="table", path=self.path, options=self.reading)
            self.form, self.sheets = self.table["form"], self.table["sheets"]
            names = set(self.table["names"])
            self.categorical &= names
            self.keep &= names
            self.drop &= names
            self.question = self.question.within(names)
            self._describe()
            if self.other:
                self.worker.ask("open", role="other", path=self.other_path, options=self.reading)
        except Failure as failure:
            self.problem = failure.pieces
        self._changed()

    def _describe(self) -> None:
        options = {
            "categorical": sorted(self.categorical),
            "keep": sorted(self.keep | (set(self.question.x) - {self.question.y})),
            "dates": self.dates,
        }
        y = self.question.y if self.question.kind != "compare" else ""
        if self.described is not None and self.described_as == (y, options):
            return
        try:
            self.described = self.worker.ask("describe", y=y, options=options)
            self.described_as = y, options
        except Failure as failure:
            self.problem = failure.pieces

    def set_option(self, name: str, value: str) -> None:
        """Change how the table is read."""
        setting = next((each for each in SETTINGS if each.name == name), None)
        if setting is None or self.path == "":
            raise Refused("there is no such setting")
        if setting.choices and value not in [each for each, _ in setting.choices]:
            raise Refused(f"{value!r} is not among the choices")
        self._free()
        with self.lock:
            if name == "dates":
                self.dates = value or "auto"
                self._again()
                return
            self.reading.pop(name, None)
            parsed = option_value(name, value)
            if parsed is not None:
                self.reading[name] = parsed
            self._read()
        self._estimate_soon()

    def set_column(self, name: str, use: str) -> None:
        """Change how a column is read: "auto", "numeric", "categorical", "use" or "drop"."""
        if self.table is None or name not in self.table["names"]:
            raise Refused("there is no such column")
        if use not in ("auto", "numeric", "categorical", "use", "drop"):
            raise Refused("a column cannot be read so")
        self._free()
        with self.lock:
            for names in (self.categorical, self.drop) if use != "use" else (self.drop,):
                names.discard(name)
            if name == self.question.y:
                self.y_kind = "numeric" if use == "numeric" else "auto"
            if use == "auto":
                self.keep.discard(name)
            if use in ("categorical", "drop", "use"):
                {"categorical": self.categorical, "drop": self.drop, "use": self.keep}[use].add(name)
            self._again()

    def decide(self, name: str, value: Any) -> None:
        """Do what a note proposes."""
        if name in ("keep", "categorical"):
            names = [value] if isinstance(value, str) else list(value)
            known = set(self.table["names"]) if self.table else set()
            self._free()
            with self.lock:
                (self.keep if name == "keep" else self.categorical).update(known & set(map(str, names)))
                self._again()
        elif name == "na":
            codes = [*self.reading.get("na", ()), str(value)]
            self.set_option("na", ", ".join(dict.fromkeys(codes)))
        elif name in ("blocks", "order", "event_value"):
            self.ask_for({name: value})
        elif name == "y_kind" and value in ("numeric", "categorical"):
            self.y_kind = str(value)
            self.ask_for({})
        elif name in ("dates", *READING):
            self.set_option(name, str(value))
        else:
            raise Refused("this cannot be chosen here")

    def decline(self, text: str) -> None:
        """Answer a question of the reader with no."""
        self.declined.add(text[:400])
        self._changed()

    # --- the question -------------------------------------------------------------------------------------------------

    def ask_for(self, change: Mapping[str, Any]) -> None:
        """Change the question."""
        self._free()
        with self.lock:
            if self.table is None:
                raise Refused("open a table first")
            before = self.question
            self.question = self.question.changed(change, self.table["names"])
            if self.question.y != before.y:
                self.y_kind = "auto"
            self._again()

    def _again(self) -> None:
        """Describe the columns again, and begin an estimate."""
        self.estimate = None
        self.problem = []
        if self.table is not None:
            self._describe()
        self._changed()
        self._estimate_soon()

    def asked(self) -> Asked:
        """Return the question, ready to be computed, or refuse."""
        question = self.question
        if self.table is None:
            raise Refused("Open a table first.")
        if question.kind == "compare":
            if not self.other:
                raise Refused("Choose the older table.")
        elif not question.y:
            raise Refused("Choose " + ("the column of groups." if question.kind == "ksample" else "the outcome."))
        roles = self.question.roles()
        event = question.event if question.kind not in ("ksample", "compare") else ""
        single = [name for name in (question.y, event, question.blocks, question.order) if name]
        if len(single) != len(set(single)):
            raise Refused("One column has two roles: choose different ones.")
        x = tuple(name for name in question.x if name not in roles)
        if question.x and not x:
            raise Refused("Every column that you chose has another role: choose one more.")
        names = self.table["names"]
        used = set(x) or {name for name in names if name not in self.drop}
        described = {} if self.described is None else {c["name"]: c for c in self.described["columns"]}
        left_out = {name for name in x if described.get(name, {}).get("role") == "left out"}
        keep = (self.keep & used) | left_out
        labels = {name for name in self.categorical if name in used or name in roles}
        plain = question.kind in ("ksample",)
        return Asked(
            kind=question.kind,
            file=self.file,
            reading=dict(self.reading),
            y=question.y if question.kind != "compare" else "",
            event=event,
            event_value=question.event_code(self.table["kinds"].get(event, "")) if event else None,
            x=x if question.kind != "compare" else (),
            drop=tuple(name for name in names if name in self.drop and name not in roles),
            given=question.given if question.kind not in ("plan", "compare") else (),
            blocks=question.blocks if question.kind not in ("plan", "compare") else "",
            order=question.order if question.kind not in ("plan", "compare") else "",
            categorical=tuple(n for n in names if n in labels and not (plain and n == question.y)),
            keep=tuple(name for name in names if name in keep and name not in roles),
            dates=self.dates,
            y_kind=self.y_kind,
            pairwise=question.pairwise,
            method=question.method,
            rows=question.rows,
            permutations=question.permutations,
            target=question.target,
            seed=question.seed,
            other=self.other if question.kind == "compare" else "",
        )

    # --- run ----------------------------------------------------------------------------------------------------------

    @property
    def running(self) -> Entry | None:
        """The question that is being computed."""
        return next((entry for entry in self.entries if entry.status == "running"), None)

    def run(self) -> None:
        """Begin to compute the question."""
        self._begin(self.asked(), self.question.sentence(), self._data())

    def again(self, number: int, change: Mapping[str, Any]) -> None:
        """Ask a question that was stopped again, with fewer permutations or a sample of the rows."""
        entry = self.entry(number)
        values: dict[str, Any] = {
            name: whole_number(value, name) for name, value in change.items() if name in ("rows", "permutations")
        }
        if len(values) != len(change) or not values or entry.status != "stopped":
            raise Refused("this question cannot be asked again so")
        self._begin(replace(entry.asked, **values), entry.sentence, entry.data)
        self.question = replace(self.question, **values)

    def _begin(self, asked: Asked, sentence: str, data: dict[str, Any]) -> None:
        self._free()
        with self.lock:
            assert self.table is not None
            number = len(self.entries) + 1
            clock = time.strftime("%H:%M")
            entry = Entry(number, asked, self.table["names"], sentence, clock=clock, data=data)
            self.entries.append(entry)
            self.progress, self.stopping, self.shown = None, False, number
            self._changed()
        threading.Thread(target=self._compute, args=(entry,), daemon=True).start()

    def _compute(self, entry: Entry) -> None:
        start = time.monotonic()
        try:
            answer = self.worker.ask("run", self._note_progress, asked=entry.asked, data=entry.data)
            entry.answer, status = answer, "partial" if answer.interrupted else "done"
        except Failure as failure:
            entry.problem, status = failure.pieces, "stopped" if failure.stopped or self.stopping else "failed"
            entry.reached = self.progress
            if failure.lost:
                self._reopen()
        with self.lock:
            entry.seconds = time.monotonic() - start
            entry.status = status
            self.progress, self.stopping = None, False
            self.question = replace(self.question, seed=_new_seed())
            self._changed()
        if self.estimate is None:
            self._estimate_soon()

    def _note_progress(self, progress: WorkProgress) -> None:
        self.progress = progress

    def stop(self) -> None:
        """Stop the work; what a screen has done is kept."""
        entry = self.running
        if entry is None:
            return
        self.stopping = True
        self.worker.stop()
        self._changed()
        later = threading.Timer(PATIENCE, self._end_if_running, [entry])
        later.daemon = True
        later.start()

    def _end_if_running(self, entry: Entry) -> None:
        if entry.status == "running":
            self.worker.kill()

    def _reopen(self) -> None:
        """Read the table again, in a new process."""
        try:
            self.worker.ask("open", role="table", path=self.path, options=self.reading)
        except Failure as failure:
            self.problem = failure.pieces
        self.other = ""

    def _data(self) -> dict[str, Any]:
        """Return what the report says of how the table was read."""
        assert self.table is not None
        table, roles = self.table, self.question.roles()
        columns = [] if self.described is None else self.described["columns"]
        rows = []
        for column in columns:
            name = column["name"]
            unused = name in self.drop or (self.question.x and name not in self.question.x)
            role = roles.get(name) or ("dropped" if unused else column["role"])
            rows.append(
                {key: column[key] for key in ("name", "kind", "missing", "distinct", "remark")} | {"role": role}
            )
        y = [name for name, role in roles.items() if role in ("y", "groups")]
        return {
            "file": self.file,
            "format": table["form"],
            "compression": table["packed"],
            "separator": table["separator"],
            "encoding": table["encoding"],
            "y": y if self.question.kind != "compare" else [],
            "columns": rows,
            "notes": ["".join(p if isinstance(p, str) else p["text"] for p in note) for note in table["notes"]],
        }

    # --- estimates ----------------------------------------------------------------------------------------------------

    def _estimate_soon(self) -> None:
        """Estimate how long the question takes, unless it changes meanwhile."""
        version = self.version
        threading.Thread(target=self._estimate, args=(version,), daemon=True).start()

    def _estimate(self, version: int) -> None:
        time.sleep(PAUSE)
        with self.lock:
            if version != self.version or self.running is not None:
                return
            try:
                asked = self.asked()
            except Refused:
                return
            self.estimating.set()
        estimate: dict[str, Any] = {}
        try:
            estimate = self.worker.ask("estimate", asked=asked)
        except Failure as failure:
            if not failure.stopped:
                estimate = {"problem": failure.pieces}
        finally:
            self.estimating.clear()
        with self.lock:
            if version == self.version:
                self.estimate = estimate
                self._changed()

    def _free(self) -> None:
        """Make the worker free for something else, or refuse while a question is being computed."""
        if self.running is not None:
            raise Refused("A question is being computed: stop it first.")
        if self.estimating.is_set():
            self.version += 1
            self.worker.stop()

    def _changed(self) -> None:
        self.version += 1

    # --- what the page shows ------------------------------------------------------------------------------------------

    def entry(self, number: int) -> Entry:
        """Return a question by its number."""
        if not 1 <= number <= len(self.entries):
            raise Refused("there is no such question")
        return self.entries[number - 1]

    def doubts(self) -> list[dict[str, Any]]:
        """Return the notes that can be answered by a click, as questions, each once."""
        if self.table is None:
            return []
        described = self.described or {"notes": [], "problems": []}
        notes = [(note, "decision") for note in self.table["notes"]] + list(described["notes"])
        notes += [(problem, "problem") for problem in described["problems"]]
        doubts, together = [], set()
        for note, rank in notes:
            doubt = self._asked(note)
            if doubt["text"] in self.declined or (doubt["answered"] and not doubt["choices"]):
                continue
            together |= {choice["value"] for choice in doubt["choices"] if choice["name"] == "blocks"}
            doubts.append({**doubt, "rank": rank})
        # whether rows belong together comes before whether the column that says so is a column of x
        later = [[name] for name in together]
        return [each for each in doubts if not any(choice["value"] in later for choice in each["choices"])]

    def _asked(self, message: Sequence[Any]) -> dict[str, Any]:
        """Return a message with what it proposes as questions, and whether some of these are answered by now."""
        pieces = self._worded(message)
        text = "".join(p if isinstance(p, str) else p["text"] for p in pieces)
        offered = [p for p in pieces if not isinstance(p, str) and self._may_choose(p)]
        choices = [p for p in offered if not self._is_answered(p)]
        return {
            "text": text,
            "reason": reason(pieces) if choices else text,
            "choices": [asked_as(choice) for choice in choices],
            "answered": len(choices) < len(offered),
        }

    def _worded(self, pieces: Sequence[Any]) -> list[Any]:
        """Return a message in which an option that has this value by now is a text, and nothing to choose."""
        labels = {each.name: each.label for each in SETTINGS}
        return [
            f"{'' if k == 0 else 'the setting '}“{labels[piece['name']]}: {piece['value']}”"
            if not isinstance(piece, str) and self.reading.get(piece["name"], ...) == piece["value"]
            else piece
            for k, piece in enumerate(pieces)
        ]

    def _may_choose(self, piece: Mapping[str, Any]) -> bool:
        name, value = piece["name"], piece["value"]
        if name in ("blocks", "order"):
            return value in (self.table or {"names": ()})["names"] and value != self.question.y
        return name in DOUBTS

    def _is_answered(self, piece: Mapping[str, Any]) -> bool:
        """Return whether the columns that a note proposes something for have a role by now."""
        name, value = piece["name"], piece["value"]
        if name == "blocks":
            return bool(self.question.blocks)
        return name in ("keep", "categorical") and set(value if isinstance(value, list) else [value]) <= set(
            self.question.roles()
        )

    def cards(self, search: str = "", start: int = 0) -> tuple[list[dict[str, Any]], int]:
        """Return some of the columns whose names hold a text, and how many there are."""
        columns = [] if self.described is None else self.described["columns"]
        wanted = search.strip().lower()
        matching = [column for column in columns if wanted in column["name"].lower()]
        roles = self.question.roles()
        cards = []
        for column in matching[start : start + CARDS]:
            name = column["name"]
            role = roles.get(name, "x")
            if role == "x" and self.question.x and self.question.kind != "compare":
                role = "tested" if name in self.question.x else "not in the question"
            left_out = column["role"] == "left out" and name not in roles
            cards.append(
                {
                    **column,
                    "used": "dropped" if name in self.drop else "left out" if left_out else role,
                    "labels": name in self.categorical,
                    "kept": name in self.keep,
                    "unit": column["unit"] or (self.table or {})["units"].get(name, ""),
                    "share": 0 if not column["missing"] else max(1, round(100 * column["missing"] / self.rows)),
                    "option": self._column_option(name),
                }
            )
        return cards, len(matching)

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return 0 if self.table is None else self.table["rows"]

    def _column_option(self, name: str) -> str:
        options = {"categorical": self.categorical, "keep": self.keep, "drop": self.drop}
        return next((shell_option(option, name) for option, names in options.items() if name in names), "")

    def view(self) -> dict[str, Any]:
        """Return all that the templates show."""
        try:
            asked, lacking = self.asked(), ""
        except Refused as refusal:
            asked, lacking = None, str(refusal)
        _, sentence = multiplicity(self.entries)
        cards, matching = self.cards()
        entry = None if self.shown is None else self.entry(self.shown)
        return {
            "file": self.file,
            "table": self.table,
            "problem": [self._asked(each) for each in self.problem],
            "settings": settings(self.table, self.reading, self.dates, self.form, self.sheets) if self.path else [],
            "doubts": self.doubts(),
            "cards": cards,
            "matching": matching,
            "page_size": CARDS,
            "rows": self.rows,
            "names": [] if self.table is None else self.table["names"],
            "listed": LISTED,
            "question": self.question,
            "y_kind": self.y_kind,
            "kinds": KINDS,
            "other": self.other,
            "other_rows": self.other_rows,
            "methods": METHODS,
            "roles": self.question.roles(),
            "asked": asked,
            "lacking": lacking,
            "estimate": estimate_text(self.estimate),
            "estimate_problem": [self._asked(each) for each in (self.estimate or {}).get("problem", [])],
            "sample": (self.estimate or {}).get("sample"),
            "running": self.running,
            "stopping": self.stopping,
            "entry": entry,
            "failure": [] if entry is None else [self._asked(each) for each in entry.problem],
            "history": history(self.entries),
            "sentence": sentence,
        }

    def state(self) -> dict[str, Any]:
        """Return what changes while work goes on."""
        progress = self.progress
        state: dict[str, Any] = {"version": self.version, "running": self.running is not None}
        if progress is not None and progress.total:
            left = progress.seconds / max(1, progress.done) * (progress.total - progress.done)
            last = progress.done == progress.total
            words = (
                "taking a closer look"
                if last
                else f"{progress.done:,} of {progress.total:,}, up to {duration(left)} left"
            )
            state |= {"share": progress.done / progress.total, "words": words}
        return state


def _new_seed() -> int:
    return secrets.randbelow(999_999) + 1

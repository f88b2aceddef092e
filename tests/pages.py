"""The elements and texts of a page of a report, and pages to look at."""

from __future__ import annotations

import functools
from html.parser import HTMLParser

import reports
from kmerf import report

KINDS = ["numeric", "grouped", "screen", "power"]


@functools.cache
def outcome(kind):
    """Return what a page is about."""
    make = {"numeric": reports.small, "grouped": lambda: reports.small("groups"), "screen": reports.screen}
    return make.get(kind, reports.powers)()


@functools.cache
def page(kind):
    """Return a page: those of a numeric y and of a screen with how their table was read."""
    command = f"kmerf independence {reports.HOSTILE[0]}"
    data = reports.data() if kind in ("numeric", "screen") else None
    return report.html(outcome(kind), data, None if kind == "grouped" else command)


class Reader(HTMLParser):
    """Collects the elements, attributes and texts of a page, and checks that elements are closed in order."""

    VOID = ("meta", "input", "br", "img", "link")

    def __init__(self):
        super().__init__()
        self.elements, self.attributes, self.texts, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("style", "script"):
            self.texts.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader

"""A running `kmerf app`, as a user starts it, and requests to it."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class RunningApp:
    """The command, its address, and a client that is let in."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "kmerf", "app", "--no-browser", *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/#(\S+)", line)
        assert match, line
        self.address, self.port, self.token = match[0], int(match[1]), match[2]
        self.cookie = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def raw(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> Reply:
        """Send exactly these headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body or method == "POST":
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)
        response = connection.getresponse()
        reply = Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return reply

    def request(self, method: str, path: str, body: bytes = b"", **changes: str | None) -> Reply:
        """Send a request as the page does; `changes` are headers, with None for one to leave out."""
        headers: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": self.origin if method == "POST" else None,
            "Cookie": self.cookie or None,
            "Content-Type": "application/json" if method == "POST" else None,
        }
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        return self.raw(method, path, {name: value for name, value in headers.items() if value is not None}, body)

    def enter(self) -> None:
        reply = self.request("POST", "/enter", json.dumps({"token": self.token}).encode())
        assert reply.status == 200
        self.cookie = reply.headers["set-cookie"].partition(";")[0]

    def do(self, action: str, **values: Any) -> Reply:
        return self.request("POST", f"/do/{action}", json.dumps(values).encode())

    def upload(self, name: str, content: bytes, role: str = "table") -> Reply:
        return self.request("POST", f"/file?as={role}&name={name}", content)

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(15)
        finally:
            self.process.kill()
            assert self.process.stderr is not None
            self.process.stderr.close()


def children_of(pid: int) -> list[int]:
    """Return the processes that a process started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return [int(a) for a, b in (line.split() for line in listed.splitlines()) if int(b) == pid]


def gone(pids: list[int], seconds: float = 10.0) -> bool:
    """Return whether processes end within some time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        listed = subprocess.run(["ps", "-eo", "pid=,stat="], capture_output=True, text=True, check=True).stdout
        alive = {int(a) for a, state in (line.split() for line in listed.splitlines()) if not state.startswith("Z")}
        if not alive & set(pids):
            return True
        time.sleep(0.1)
    return False


def small_table(n: int = 60) -> pd.DataFrame:
    """Numbers, labels, codes and an id; y depends on dose."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"id": np.arange(1, n + 1), "dose": rng.normal(size=n).round(2)})
    table["batch"] = rng.integers(1, 4, n)
    table["arm"] = rng.choice(["a", "b"], n)
    table["y"] = (table["dose"] + 0.3 * rng.normal(size=n)).round(3)
    return table

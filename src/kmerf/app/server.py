"""The page over HTTP, for one person at one computer.

**Who gets in.** The server listens on 127.0.0.1 alone. The address that is opened has a random token after the #, which
browsers do not send; the page posts it once and gets a cookie, which only this server reads (HttpOnly) and no other
site can use (SameSite=Strict). Each request is checked: its Host must be this server's, so that no name that another
site points at this computer works (DNS rebinding); its Origin, where there is one, must be too, and a request that
changes something must have one; and it must have the cookie. All else gets 403, with nothing of the table in it.

**What gets out.** Cells and names are escaped by the templates; if anything slipped through, the policy of the page
allows no script and no style but the server's own files. Reports are shown in a sandbox without the rights of the page.
Nothing is written but what is dropped on the page, in a private folder that goes with the server.

**When it ends.** The page holds a stream of events open. When no page has had one for a while, or on Ctrl-C, the server
ends, and its worker with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hmac
import json
import secrets
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kmerf.app.answers import report_style, templates, with_history
from kmerf.app.calls import Failure, Refused
from kmerf.app.history import Entry, history, multiplicity
from kmerf.app.sitting import CARDS, Sitting
from kmerf.core.errors import Argument, InputError

HOST = "127.0.0.1"
MAX_FILE = 2 * 1024**3  # bytes of a table
MAX_BODY = 256 * 1024  # bytes of any other request
GRACE = 5.0  # seconds after the last page was closed, after which the server ends
UNSEEN = 600.0  # seconds in which no page was opened, after which it ends
BEAT = 0.3  # seconds between looks at what has changed
OPEN = ("/", "/enter", "/style.css", "/app.js")  # what is served without the cookie; none of it has data
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
PARTS = ("table", "columns", "question", "run", "answer", "history")


class Guard:
    """Lets in only requests of the page itself, and gives every response the headers that keep it inert."""

    def __init__(self, app: ASGIApp, port: int, key: str) -> None:
        self.app = app
        self.hosts = tuple(f"{name}:{port}" for name in (HOST, "localhost"))
        self.cookie = cookie_name(port)
        self.key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and pass it on."""
        if scope["type"] == "websocket":  # the page has none
            await send({"type": "websocket.close", "code": 1008})
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = HEADERS | {"Content-Security-Policy": POLICY}
                message["headers"] += [
                    (name.lower().encode(), value.encode())
                    for name, value in extra.items()
                    if name.lower().encode() not in present
                ]
            await send(message)

        request = Request(scope)
        reason = self.refusal(request)
        if reason:
            await PlainTextResponse(f"Refused: {reason}.\n", 403)(scope, receive, guarded)
            return
        await self.app(scope, receive, guarded)

    def refusal(self, request: Request) -> str:
        """Say why a request is not let in; nothing if it is."""
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.hosts:
            return "the Host is not this server's"
        origins = request.headers.getlist("origin")
        changes = request.method not in ("GET", "HEAD")
        if (changes and not origins) or any(origin != f"http://{hosts[0]}" for origin in origins):
            return "the Origin is not this page"
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return "the request comes from another site"
        given = request.cookies.get(self.cookie, "")
        if request.url.path not in OPEN and not hmac.compare_digest(given.encode(), self.key.encode()):
            return "the cookie is missing"
        return ""


def cookie_name(port: int) -> str:
    """Return the name of the cookie: servers on other ports have their own."""
    return f"kmerf-{port}"


class PageServer:
    """The routes, and what they do with a sitting."""

    def __init__(self, sitting: Sitting, port: int) -> None:
        self.sitting = sitting
        self.port = port
        self.token = secrets.token_urlsafe(32)
        self.key = secrets.token_urlsafe(32)
        self.pages = 0
        self.seen = False  # whether a page was ever open
        self.end: Callable[[], None] = lambda: None
        routes = [
            Route("/", self.page),
            Route("/enter", self.enter, methods=["POST"]),
            Route("/style.css", functools.partial(_asset, "style.css", "text/css")),
            Route("/app.js", functools.partial(_asset, "app.js", "text/javascript")),
            Route("/parts", self.parts),
            Route("/events", self.events),
            Route("/file", self.file, methods=["POST"]),
            Route("/do/{action}", self.do, methods=["POST"]),
            Route("/cards", self.cards),
            Route("/answer/{number:int}/report.html", self.report),
            Route("/answer/{number:int}/picture/{picture:int}.svg", self.picture),
            Route("/answer/{number:int}/table/{table}.csv", self.table),
            Route("/answer/{number:int}/{text}.txt", self.text),
        ]
        self.app = Guard(Starlette(routes=routes), port, self.key)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.port}/#{self.token}"

    # --- getting in ---------------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """Show the page; without the cookie, a door that has nothing behind it."""
        known = hmac.compare_digest(request.cookies.get(cookie_name(self.port), "").encode(), self.key.encode())
        if not known:
            return _html("door.html", {})
        return _html("page.html", {"file": self.sitting.file})

    async def enter(self, request: Request) -> Response:
        """Give the cookie to the page that has the token."""
        token = (await _json(request)).get("token")
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), self.token.encode()):
            return PlainTextResponse("Refused: the token is wrong.\n", 403)
        response = JSONResponse({})
        response.set_cookie(cookie_name(self.port), self.key, httponly=True, samesite="strict", path="/")
        return response

    # --- what the page does -------------------------------------------------------------------------------------------

    async def parts(self, request: Request) -> Response:
        """Return the parts of the page as they are now."""
        return JSONResponse(await run_in_threadpool(self._parts))

    def _parts(self) -> dict[str, Any]:
        with self.sitting.lock:
            view = self.sitting.view()
            parts = {name: templates().get_template(f"{name}.html").render(**view) for name in PARTS}
            return {"parts": parts, **self.sitting.state()}

    async def do(self, request: Request) -> Response:
        """Do one thing, and return the parts of the page."""
        action, values = request.path_params["action"], await _json(request)
        sitting = self.sitting
        actions: dict[str, Callable[[], None]] = {
            "set": lambda: sitting.set_option(_text(values, "name"), _text(values, "value")),
            "column": lambda: sitting.set_column(_text(values, "column"), _text(values, "use")),
            "decide": lambda: sitting.decide(_text(values, "name"), values.get("value")),
            "decline": lambda: sitting.decline(_text(values, "text")),
            "ask": lambda: sitting.ask_for(values),
            "run": sitting.run,
            "again": lambda: self._again(dict(values)),
            "stop": sitting.stop,
            "show": lambda: self._show(values.get("number")),
        }
        if action not in actions:
            return PlainTextResponse("There is no such action.\n", 404)
        return await self._after(actions[action])

    def _show(self, number: Any) -> None:
        entry = self.sitting.entry(number if isinstance(number, int) else 0)
        self.sitting.shown = entry.number

    def _again(self, values: dict[str, Any]) -> None:
        number = values.pop("number", 0)
        self.sitting.again(number if isinstance(number, int) else 0, values)

    async def _after(self, act: Callable[[], None]) -> Response:
        try:
            await run_in_threadpool(act)
        except (Refused, Failure, TypeError, ValueError) as error:
            return JSONResponse({"refused": str(error)[:500]}, 409)
        return JSONResponse(await run_in_threadpool(self._parts))

    async def file(self, request: Request) -> Response:
        """Take a file that was dropped on the page, and read it."""
        if request.query_params.get("as") not in ("table", "other"):
            return PlainTextResponse("There is no such place.\n", 404)
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_FILE:
            return JSONResponse({"refused": f"The file is larger than {MAX_FILE // 1024**3} GB."}, 413)
        if self.sitting.running is not None:
            return JSONResponse({"refused": "A question is being computed: stop it first."}, 409)
        role = request.query_params["as"]
        path = self.sitting.upload_path(unquote(request.query_params.get("name", "")), role)
        taken = 0
        try:
            with path.open("wb") as file:
                async for piece in request.stream():
                    taken += len(piece)
                    if taken > MAX_FILE:
                        path.unlink(missing_ok=True)
                        return JSONResponse({"refused": "The file is too large."}, 413)
                    file.write(piece)
        except (ClientDisconnect, OSError) as error:
            path.unlink(missing_ok=True)
            return JSONResponse({"refused": f"The file could not be read ({type(error).__name__})."}, 409)
        opened = self.sitting.open if role == "table" else self.sitting.open_other
        return await self._after(lambda: opened(path.name, path.name))

    async def cards(self, request: Request) -> Response:
        """Return cards of columns whose names hold a text."""
        start = request.query_params.get("start", "0")
        search = request.query_params.get("search", "")[:200]
        first = int(start) if start.isdecimal() and len(start) < 8 else 0
        cards, matching = await run_in_threadpool(self.sitting.cards, search, first)
        values = {"cards": cards, "matching": matching, "start": first, "page_size": CARDS}
        return _html("cards.html", values | {"question": self.sitting.question})

    async def events(self, request: Request) -> Response:
        """Tell the page of changes, as long as it is open."""

        async def stream() -> AsyncIterator[str]:
            self.pages += 1
            self.seen = True
            last, quiet = "", 0.0
            try:
                while not await request.is_disconnected():
                    state = json.dumps(self.sitting.state())
                    quiet = 0.0 if state != last else quiet + BEAT
                    if state != last:
                        yield f"data: {state}\n\n"
                    elif quiet > 5.0:
                        yield ": still here\n\n"
                        quiet = 0.0
                    last = state
                    await asyncio.sleep(BEAT)
            finally:
                self.pages -= 1

        return StreamingResponse(stream(), media_type="text/event-stream")

    # --- what is saved ------------------------------------------------------------------------------------------------

    def _entry(self, request: Request) -> Entry | None:
        with contextlib.suppress(Refused):
            entry = self.sitting.entry(request.path_params["number"])
            return entry if entry.answer is not None else None
        return None

    async def report(self, request: Request) -> Response:
        """Return a report, in a sandbox; to be saved, with the history of the sitting."""
        entry = self._entry(request)
        if entry is None or entry.answer is None:
            return PlainTextResponse("There is no such report.\n", 404)
        answer = entry.answer
        if "save" in request.query_params:
            _, sentence = multiplicity(self.sitting.entries)
            page = await run_in_threadpool(with_history, answer.page, history(self.sitting.entries), sentence)
            return _saved(page, "text/html", f"{self._stem(entry)}.html")
        rights = "allow-scripts allow-downloads" if answer.scripted else "allow-same-origin"
        return Response(
            answer.page,
            media_type="text/html",
            headers={"Content-Security-Policy": f"sandbox {rights}; frame-ancestors 'self'"},
        )

    async def picture(self, request: Request) -> Response:
        """Return a picture of a report."""
        entry, number = self._entry(request), request.path_params["picture"]
        if entry is None or entry.answer is None or not 1 <= number <= len(entry.answer.pictures):
            return PlainTextResponse("There is no such picture.\n", 404)
        svg = entry.answer.pictures[number - 1].svg
        name = f"{self._stem(entry)}-{number}.svg" if "save" in request.query_params else ""
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return _saved(svg, "image/svg+xml", name, {"Content-Security-Policy": policy})

    async def table(self, request: Request) -> Response:
        """Return a table of a result in CSV."""
        entry, name = self._entry(request), request.path_params["table"]
        if entry is None or entry.answer is None or name not in entry.answer.tables:
            return PlainTextResponse("There is no such table.\n", 404)
        return _saved(entry.answer.tables[name], "text/csv", f"{self._stem(entry)}-{name}.csv")

    async def text(self, request: Request) -> Response:
        """Return text to paste: methods, the command, the program."""
        entry = self._entry(request)
        if entry is None or entry.answer is None:
            return PlainTextResponse("There is no such text.\n", 404)
        texts = {
            "methods": entry.answer.methods,
            "command": entry.command,
            "python": entry.asked.python(entry.names),
            "summary": entry.answer.text,
        }
        text = texts.get(request.path_params["text"])
        return PlainTextResponse("There is no such text.\n", 404) if text is None else PlainTextResponse(f"{text}\n")

    def _stem(self, entry: Entry) -> str:
        """Return the beginning of the names of files: that of the table, and the number of the question."""
        stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in Path(self.sitting.file).stem)
        return f"{stem[:60] or 'table'}-{entry.number}"


def _html(template: str, values: dict[str, Any]) -> Response:
    return Response(templates().get_template(template).render(**values), media_type="text/html")


def _saved(content: str, kind: str, name: str, more: dict[str, str] | None = None) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{quote(name)}"'} if name else {}
    return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers | (more or {}))


async def _asset(name: str, kind: str, request: Request) -> Response:
    text = resources.files("kmerf.app").joinpath("templates", name).read_text(encoding="utf-8")
    return Response(report_style() + text if name == "style.css" else text, media_type=kind)


async def _json(request: Request) -> dict[str, Any]:
    """Return the body of a request, if it is a small object of JSON; else nothing."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return {}
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > MAX_BODY:
            return {}
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise Refused(f"{name} must be a text")
    return value


# --- running ----------------------------------------------------------------------------------------------------------


def listen(port: int) -> socket.socket:
    """Return a socket of this computer alone."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        finding, remedy = f"cannot be used ({error})", "leave it out for a free one"
        raise InputError(finding, argument=Argument("--port", port), remedy=remedy) from None
    return listener


def run(sitting: Sitting, listener: socket.socket, *, browser: bool = True) -> None:
    """Serve the page until it is closed or Ctrl-C is pressed."""
    page = PageServer(sitting, listener.getsockname()[1])
    print(f"kmerf app: {page.address}\nClose the page, or press Ctrl-C, to end.", file=sys.stderr, flush=True)
    if browser:
        webbrowser.open(page.address)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(page, listener))


async def _serve(page: PageServer, listener: socket.socket) -> None:
    config = uvicorn.Config(
        page.app,
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    watch = asyncio.create_task(_watch(page, server))
    try:
        await server.serve(sockets=[listener])
    finally:
        watch.cancel()


async def _watch(page: PageServer, server: uvicorn.Server) -> None:
    """End the server when no page has been open for a while."""
    alone = 0.0
    while not server.should_exit:
        await asyncio.sleep(BEAT)
        alone = alone + BEAT if page.pages == 0 else 0.0
        if alone > (GRACE if page.seen else UNSEEN):
            reason = "The page was closed" if page.seen else f"Nobody opened the page in {UNSEEN / 60:.0f} minutes"
            print(f"{reason}: kmerf app ends.", file=sys.stderr, flush=True)
            server.should_exit = True

"""Who gets in and what gets out: hostile requests, hostile files, and an end that leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path
from urllib.parse import quote

import pytest

from app_pages import RunningApp, children_of, gone, small_table

HOSTILE = 'n<script>alert(1)</script>,"<img src=x onerror=alert(2)>",=cmd|calc,"a""b\'c",y\n' + "".join(
    f'{k * 7 % 11},"</bdi><script>alert({k})</script>",{k},javascript:alert(1),{k * 3 % 7}\n' for k in range(30)
)
CSV = small_table().to_csv(index=False).encode()


@pytest.fixture(scope="module")
def app():
    app = RunningApp()
    try:
        app.enter()
        yield app
    finally:
        app.end()


@pytest.fixture
def opened(app):
    reply = app.upload("t.csv", CSV)
    assert reply.status == 200, reply.text
    return app


# --- getting in -------------------------------------------------------------------------------------------------------


def test_it_listens_on_this_computer_alone(app):
    address = socket.gethostbyname(socket.gethostname())
    if address.startswith("127."):
        pytest.skip("this computer has no other address")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address, app.port), timeout=2).close()


def test_the_cookie_is_for_this_page_alone(app):
    reply = app.request("POST", "/enter", json.dumps({"token": app.token}).encode())
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert app.token not in reply.headers["set-cookie"]


GATED = ["/parts", "/events", "/cards", "/answer/1/report.html", "/answer/1/table/answer.csv", "/answer/1/methods.txt"]


@pytest.mark.parametrize("path", GATED)
@pytest.mark.parametrize("cookie", [None, "kmerf=wrong", "kmerf-{port}=wrong", "kmerf-{port}="])
def test_nothing_is_seen_without_the_cookie(app, path, cookie):
    reply = app.request("GET", path, Cookie=cookie and cookie.format(port=app.port))
    assert reply.status == 403
    assert b"dose" not in reply.body


@pytest.mark.parametrize("token", ["", "wrong", None, 3, ["a"], {"a": 1}])
def test_a_wrong_token_gets_no_cookie(app, token):
    reply = app.request("POST", "/enter", json.dumps({"token": token}).encode())
    assert reply.status == 403
    assert "set-cookie" not in reply.headers


def test_the_door_has_nothing_behind_it(opened):
    reply = opened.request("GET", "/", Cookie=None)
    assert reply.status == 200
    assert b"t.csv" not in reply.body
    assert b"data-door" in reply.body


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.nip.io:{port}", "[::1]:{port}", ""],
)
def test_other_hosts_are_refused(opened, host):
    """As when another site lets its name point at this computer (DNS rebinding)."""
    host = host.format(port=opened.port)
    reply = opened.request("GET", "/parts", Host=host, Origin=f"http://{host}")
    assert reply.status in (400, 403)
    assert b"dose" not in reply.body


def test_a_request_without_a_host_is_refused(opened):
    assert opened.request("GET", "/parts", Host=None).status in (400, 403)


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}"],
)
@pytest.mark.parametrize("path", ["/do/run", "/do/ask", "/file?as=table&name=a.csv", "/enter"])
def test_posts_of_other_pages_are_refused(opened, origin, path):
    reply = opened.request("POST", path, b"{}", Origin=origin and origin.format(port=opened.port))
    assert reply.status == 403


def test_reads_of_other_sites_are_refused(opened):
    assert opened.request("GET", "/parts", Origin="http://evil.example").status == 403
    for site in ("cross-site", "same-site"):
        assert opened.request("GET", "/parts", Sec_Fetch_Site=site).status == 403
    assert opened.request("GET", "/parts", Sec_Fetch_Site="same-origin").status == 200


def test_nothing_may_be_read_across_origins(opened):
    reply = opened.request("GET", "/parts")
    assert not [name for name in reply.headers if name.startswith("access-control")]
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"
    assert "script-src 'self'" in reply.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"


def test_forms_of_other_pages_cannot_act(opened):
    """What a form may send without asking is not JSON."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        reply = opened.request("POST", "/do/set", b'{"name": "decimal", "value": ","}', Content_Type=kind)
        assert reply.status == 409


# --- path tricks and sizes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/static/../server.py",
        "/answer/1/table/..%2f..%2fsecret.csv",
        "/answer/99/report.html",
        "/answer/-1/report.html",
        "/answer/1/picture/0.svg",
        "/answer/1/../../server.py",
        "/do/__init__",
        "/style.css/../answers.py",
    ],
)
def test_paths_lead_nowhere(opened, path):
    for method in ("GET", "POST"):
        reply = opened.request(method, path, b"{}" if method == "POST" else b"")
        assert reply.status in (400, 403, 404, 405)
        assert b"root:" not in reply.body
        assert b"import" not in reply.body


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("..%2F..%2Fevil.csv", "evil.csv"),
        ("%2Fetc%2Fpasswd", "passwd"),
        ("..%5C..%5Cevil.csv", "evil.csv"),
        ("-", "table"),
        ("..", "table"),
        ("", "table"),
        ("a%00b.csv", "ax00b.csv"),
        ("%E2%80%AEgnp.csv", "u202egnp.csv"),
        ("x" * 3000 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_a_file_stays_in_the_private_folder(app, name, shown):
    reply = app.upload(name, CSV)
    assert reply.status == 200
    assert f"<b><bdi>{shown}</bdi></b>" in reply.json["parts"]["table"]
    assert not Path("evil.csv").exists()


def test_sizes_are_limited(opened):
    big = json.dumps({"name": "decimal", "value": "," * 400_000}).encode()
    assert opened.request("POST", "/do/set", big).status == 409
    head = {"Host": f"127.0.0.1:{opened.port}", "Origin": opened.origin, "Cookie": opened.cookie}
    connection = socket.create_connection(("127.0.0.1", opened.port), timeout=10)
    lines = ["POST /file?as=table&name=a.csv HTTP/1.1", *(f"{k}: {v}" for k, v in head.items())]
    connection.sendall("\r\n".join([*lines, "Content-Length: 99999999999999", "", ""]).encode())
    assert b" 413 " in connection.recv(200)
    connection.close()


@pytest.mark.parametrize(
    ("action", "values"),
    [
        ("set", {"name": "decimal", "value": "x"}),
        ("set", {"name": "__class__", "value": "x"}),
        ("set", {"name": 3}),
        ("column", {"column": "absent", "use": "drop"}),
        ("column", {"column": "dose", "use": "delete"}),
        ("ask", {"y": "absent"}),
        ("ask", {"x": "dose"}),
        ("ask", {"kind": "__import__"}),
        ("ask", {"rows": "1e9"}),
        ("ask", {"target": "nan"}),
        ("ask", {"method": "os.system"}),
        ("ask", {"nonsense": 1}),
        ("decide", {"name": "rng", "value": 1}),
        ("show", {"number": 10**30}),
        ("show", {"number": "1"}),
    ],
)
def test_nonsense_is_refused_with_a_reason(opened, action, values):
    reply = opened.do(action, **values)
    assert reply.status == 409
    assert reply.json["refused"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"null", b'{"name": {}}'])
def test_bodies_that_are_no_json_are_refused(opened, body):
    assert opened.request("POST", "/do/set", body).status == 409


# --- hostile files ----------------------------------------------------------------------------------------------------


def wait_for_answer(app, number=1, seconds=120):
    import time

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        reply = app.request("GET", "/parts").json
        if not reply["running"] and f"Answer {number}" in reply["parts"]["answer"]:
            return reply
        time.sleep(0.2)
    raise TimeoutError


def test_cells_and_names_are_inert(app):
    reply = app.upload(quote("<svg onload=alert(3)>.csv"), HOSTILE.encode())
    assert reply.status == 200
    names = [name for name in reply.json["parts"] if reply.json["parts"][name]]
    assert "table" in names
    reply = app.do("ask", kind="independence", y="y", method="dcorr", seed="1")
    app.do("run")
    parts = wait_for_answer(app)["parts"]
    everything = "".join(parts.values())
    assert "<script" not in everything
    assert "<img src=x" not in everything
    assert "onload=alert" not in everything.replace("&lt;svg onload=alert", "").replace("svg onload=alert(3)", "")
    assert "&lt;script&gt;alert(1)" in everything
    page = app.request("GET", "/answer/1/report.html")
    assert "sandbox" in page.headers["content-security-policy"]
    assert "<script>alert" not in page.text
    saved = app.request("GET", "/answer/1/report.html?save")
    assert "attachment" in saved.headers["content-disposition"]
    assert "<script>alert" not in saved.text
    assert "All questions asked of this table" in saved.text
    for path in ("/answer/1/picture/1.svg", "/answer/1/table/answer.csv", "/answer/1/command.txt"):
        reply = app.request("GET", path)
        assert reply.status == 200
        assert not reply.headers["content-type"].startswith("text/html")
    assert "<script" not in app.request("GET", "/answer/1/picture/1.svg").text


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 5000, b"\x89PNG\r\n" * 50, b"PK\x03\x04" + b"x" * 900, b"a\n" + b'"' * 999]
)
def test_files_that_are_no_tables_are_refused_in_words(app, content):
    reply = app.upload("odd.csv", content)
    assert reply.status == 200
    assert 'role="alert"' in reply.json["parts"]["table"]
    assert "An error of kmerf" not in reply.json["parts"]["table"]
    assert app.upload("t.csv", CSV).status == 200


def test_wide_and_long_tables_are_shown_in_part(app):
    import numpy as np

    numbers = np.random.default_rng(0).normal(size=(30, 500)).round(2)
    wide = "\n".join([",".join(f"c{k}" for k in range(500)), *(",".join(map(str, row)) for row in numbers)])
    parts = app.upload("wide.csv", wide.encode()).json["parts"]
    assert parts["columns"].count('<li class="card') == 60
    assert "Show 60 more of 440" in parts["columns"]
    assert app.request("GET", "/cards?start=480").text.count('<li class="card') == 20
    assert app.request("GET", "/cards?search=C49").text.count('<li class="card') == 11
    assert len("".join(parts.values())) < 400_000


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_process_behind(tmp_path, number):
    (tmp_path / "t.csv").write_bytes(CSV)
    app = RunningApp(str(tmp_path / "t.csv"))
    try:
        app.enter()
        app.do("ask", y="y", seed="1")
        app.do("run")
        workers = children_of(app.process.pid)
        assert workers
        app.process.send_signal(number)
        app.process.wait(15)
        assert gone(workers)
        assert app.process.stderr is not None
        assert "Traceback" not in app.process.stderr.read()
    finally:
        app.end()


def test_a_port_that_is_taken_is_named(app):
    import subprocess
    import sys

    command = [sys.executable, "-m", "kmerf", "app", "--no-browser", "--port", str(app.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"--port {app.port} cannot be used" in done.stderr

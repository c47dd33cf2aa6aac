# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Who may ask, from where, and for what: nothing is answered without the token, no path leads to a file."""

from __future__ import annotations

import http.client
import http.server
import json
import os
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

PAGES = ["/", "/index.html", "/assets/app-0123.js", "/nothing", "/api/home", "/api/progress", "/api/trace/x/lanes", "/api/nothing", "/api/state/layout"]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><script src=assets/app-0123.js></script>")
    (folder / "assets" / "app-0123.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


def test_one_line_on_stdout_says_where(serve, trace: Path) -> None:
    server = serve(trace)
    assert server.said["schema"] == 1 and server.said["pid"] == server.process.pid
    assert server.said["url"] == f"http://127.0.0.1:{server.port}/?token={server.token}" and len(server.token) == 64


def test_nothing_is_answered_without_the_token(serve, page: Path) -> None:
    server = serve(environment={"LANEWISE_EXPLORER": str(page)})
    for path in PAGES:
        for headers in ({}, {"Cookie": f"lanewise_{server.port}=wrong"}, {"Authorization": "Bearer wrong"}, {"Cookie": f"lanewise_{server.port + 1}={server.token}"}):
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
                assert server.raw(method, path, headers).status == 401, (method, path, headers)
    assert server.raw("GET", "/?token=wrong").status == 401
    assert "lanewise open" in server.raw("GET", "/").error


def test_the_token_becomes_a_cookie(serve, page: Path) -> None:
    server = serve(environment={"LANEWISE_EXPLORER": str(page)})
    first = server.raw("GET", f"/?token={server.token}")
    assert first.status == 303 and first.headers["location"] == "./"
    cookie = first.headers["set-cookie"]
    assert cookie.startswith(f"lanewise_{server.port}=") and all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/"))
    with_cookie = {"Cookie": cookie.partition(";")[0]}
    html = server.raw("GET", "/", with_cookie)
    assert html.status == 200 and html.body.startswith(b"<!doctype") and html.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in html.headers["content-security-policy"] and html.headers["cache-control"] == "no-cache"
    assert html.headers["x-content-type-options"] == "nosniff" and html.headers["referrer-policy"] == "no-referrer"
    script = server.raw("GET", "/assets/app-0123.js", with_cookie)
    assert script.headers["content-type"].startswith("text/javascript") and "immutable" in script.headers["cache-control"]
    assert server.raw("GET", "/api/home", with_cookie).headers["cache-control"] == "no-store"
    assert server.raw("HEAD", "/", with_cookie).body == b""


def test_foreign_names_and_pages_are_refused(serve) -> None:
    server = serve()
    token = {"Authorization": f"Bearer {server.token}"}
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", "0.0.0.0"):
        assert server.raw("GET", "/api/home", token | {"Host": host}).status == 403, host
    for host in ("localhost", "localhost:1234", "127.0.0.1:9", "[::1]:7424"):
        assert server.raw("GET", "/api/home", token | {"Host": host}).status == 200, host
    own = f"127.0.0.1:{server.port}"
    for origin in ("http://evil.example", "null", f"http://localhost:{server.port}", f"http://127.0.0.1:{server.port + 1}"):
        assert server.raw("POST", "/api/close", token | {"Host": own, "Origin": origin}, b"{}").status == 403, origin
    assert server.raw("POST", "/api/close", token | {"Host": own, "Origin": f"http://{own}"}, b"{}").status == 404
    assert server.raw("GET", "/api/home", token | {"Sec-Fetch-Site": "cross-site"}).status == 403


def test_another_name_only_when_it_was_allowed(serve) -> None:
    server = serve(arguments=("--port", "0", "--allow-host", "box.example"))
    token = {"Authorization": f"Bearer {server.token}", "Host": "box.example:8080"}
    assert server.raw("GET", "/api/home", token).status == 200
    assert server.raw("POST", "/api/close", token | {"Origin": "https://box.example:8080"}, b"{}").status == 404


def test_no_path_leads_out_of_the_page(serve, page: Path) -> None:
    server = serve(environment={"LANEWISE_EXPLORER": str(page)})
    for path in ("/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//etc/passwd", "/assets/..%5c..%5csecret.txt", "/" + str(page.parent / "secret.txt")):
        answer = server.ask("GET", path)
        assert answer.status == 404 and b"secret" not in answer.body, path


def test_requests_that_are_none(serve) -> None:
    server = serve()

    def send(text: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(text)
            return connection.recv(1 << 16)

    host = b"Host: localhost\r\n"
    for bad in (b"GET\r\n\r\n", b"GET / HTTP/2\r\n" + host + b"\r\n", b"GET x HTTP/1.1\r\n" + host + b"\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET /%zz HTTP/1.1\r\n" + host + b"\r\n",
                b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"POST / HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + host + b"a b: x\r\n\r\n", b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n" + host + b"\r\n"):
        answer = send(bad)
        assert answer == b"" or answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 414")), (bad[:60], answer)  # what is no HTTP at all is hung up on
    assert server.ask("GET", "/api/" + "a" * 20000).status == 404
    assert server.ask("POST", "/api/open", b"{").status == 400
    assert server.ask("POST", "/api/open", b"[" * 100000).status == 400
    assert server.ask("POST", "/api/open", b" " * (5 << 20)).status == 413
    assert server.ask("DELETE", "/api/home").status == 405
    assert server.ask("POST", "/").status == 405
    assert server.ask("GET", "/api/home").status == 200


def test_without_a_page_the_api_still_answers(serve) -> None:
    server = serve()
    assert server.ask("GET", "/").status == 503
    assert "LANEWISE_EXPLORER" in server.ask("GET", "/").error
    assert server.get("/api/home")["schema"] == 1


def test_ports(serve) -> None:
    first = serve(arguments=())
    second = serve(arguments=())
    assert first.port != second.port and min(first.port, second.port) >= 7424, "the next free port"
    assert first.get("/api/home") and second.get("/api/home")
    # One's cookie is not the other's.
    assert second.raw("GET", "/api/home", {"Cookie": f"lanewise_{first.port}={first.token}"}).status == 401
    done = subprocess.run([first.process.args[0], "open", "--no-open", "--port", str(first.port)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and str(first.port) in done.stderr and done.stdout == ""


def test_a_wrong_command_line(serve, tmp_path: Path) -> None:
    command = serve().process.args[0]
    for arguments in (["--port", "70000"], [str(tmp_path / "none.json")], ["--source-root", str(tmp_path / "none")], ["--no-such-option"]):
        done = subprocess.run([command, "open", "--no-open", *arguments], capture_output=True, text=True, timeout=60, env=os.environ | {"XDG_STATE_HOME": str(tmp_path)})
        assert done.returncode == 2 and done.stderr and done.stdout == "", arguments


def test_without_json_the_link_and_the_tunnel_are_printed(serve, tmp_path: Path) -> None:
    command = serve().process.args[0]
    with subprocess.Popen([command, "open", "--no-open", "--port", "0"], stdout=subprocess.PIPE, text=True, env=os.environ | {"XDG_STATE_HOME": str(tmp_path)}) as process:
        link, tunnel = process.stdout.readline(), process.stdout.readline()
        process.terminate()
        assert link.startswith("http://127.0.0.1:") and "ssh -L" in tunnel
        assert process.wait(timeout=60) == 0


def test_the_link_of_a_browser_works_once(serve, tmp_path: Path) -> None:
    """All users of a machine can read what a process was started with."""
    command = serve().process.args[0]
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "xdg-open").write_text(f"#!/bin/sh\necho $1 > {tmp_path}/part && mv {tmp_path}/part {tmp_path}/link\n")
    (tools / "xdg-open").chmod(0o755)
    env = os.environ | {"XDG_STATE_HOME": str(tmp_path), "DISPLAY": ":0", "PATH": f"{tools}:{os.environ['PATH']}"}
    with subprocess.Popen([command, "open", "--port", "0"], stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            printed = process.stdout.readline().strip()
            until = time.monotonic() + 60
            while not (tmp_path / "link").exists() and time.monotonic() < until:
                time.sleep(0.02)
            link = (tmp_path / "link").read_text().strip()
            assert link.partition("?")[0] == printed.partition("?")[0] and link != printed

            def status(url: str) -> int:
                connection = http.client.HTTPConnection(url.split("/")[2], timeout=60)
                connection.request("GET", "/" + url.split("/")[3])
                return connection.getresponse().status

            assert [status(link), status(link), status(printed), status(printed)] == [303, 401, 303, 303]
        finally:
            process.terminate()


class Prefix(http.server.BaseHTTPRequestHandler):
    """A reverse proxy that puts the server below /tools/lanewise/."""

    protocol_version = "HTTP/1.1"
    target = 0

    def forward(self) -> None:
        prefix = "/tools/lanewise"
        if not self.path.startswith(prefix + "/"):
            self.send_error(404)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        upstream = http.client.HTTPConnection("127.0.0.1", self.target, timeout=60)
        upstream.request(self.command, self.path[len(prefix) :], body or None, {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "content-length")})
        answer = upstream.getresponse()
        data = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = forward

    def log_message(self, *arguments) -> None:
        pass


def test_behind_a_path_prefix(serve, page: Path, trace: Path) -> None:
    server = serve(trace, environment={"LANEWISE_EXPLORER": str(page)})
    server.ready()
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("P", (Prefix,), {"target": server.port}))
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        address = f"127.0.0.1:{proxy.server_address[1]}"

        def ask(method: str, path: str, headers: dict[str, str], body: bytes | None = None):
            connection = http.client.HTTPConnection(address, timeout=60)
            connection.request(method, "/tools/lanewise" + path, body, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

        status, headers, _ = ask("GET", f"/?token={server.token}", {})
        assert status == 303 and headers["Location"] == "./", "relative: it stays below the prefix"
        cookie = {"Cookie": headers["Set-Cookie"].partition(";")[0]}
        status, _, html = ask("GET", "/", cookie)
        assert status == 200 and b'src=assets/' in html
        assert ask("GET", "/assets/app-0123.js", cookie)[0] == 200
        status, _, home = ask("GET", "/api/home", cookie | {"Origin": f"http://{address}"})
        assert status == 200
        trace_id = json.loads(home)["traces"][0]["id"]
        status, _, tiles = ask("POST", f"/api/trace/{trace_id}/tiles", cookie | {"Origin": f"http://{address}"}, b'{"level":10,"first":0,"count":2}')
        assert status == 200 and tiles[:4] == b"LWF1"
        assert ask("POST", "/api/close", cookie | {"Origin": "http://evil.example"}, b"{}")[0] == 403
    finally:
        proxy.shutdown()
        proxy.server_close()

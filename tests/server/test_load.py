# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Many clients, slow ones, ones that go away; and a clean end whatever is under way."""

from __future__ import annotations

import json
import signal
import socket
import struct
import threading
from pathlib import Path

import pytest

CLIENTS, CONNECTIONS = 10, 6


def request(server, path: str, method: str = "GET", body: bytes = b"") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def read_events(server, path: str = "/api/progress") -> list[tuple[str, dict]]:
    connection = server.connect()
    connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}"})
    answer = connection.getresponse()
    assert answer.getheader("Content-Type") == "text/event-stream"
    events = []
    for block in answer.read().decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            events.append((lines["event"], json.loads(lines["data"])))
    return events


def test_progress_tells_each_change_and_ends(serve, large_trace: Path) -> None:
    server = serve(large_trace)
    while not server.get("/api/home")["traces"]:
        pass
    events = read_events(server)
    assert events[-1] == ("idle", {}) and all(kind == "trace" for kind, _ in events[:-1])
    states = [trace["state"] for _, trace in events[:-1]]
    assert states[0] == "importing" and states[-1] == "ready"
    done = [trace["progress"]["done"] for _, trace in events[:-1]]
    assert done == sorted(done) and done[-1] == large_trace.stat().st_size
    # With nothing to read it ends at once.
    assert [kind for kind, _ in read_events(server)] == ["trace", "idle"]


def test_ten_clients_that_do_not_read_hold_up_nobody(serve, large_trace: Path, trace: Path) -> None:
    server = serve(large_trace, trace)
    traces = server.ready(2)
    large = f"/api/trace/{traces[0]['id']}"
    slow: list[socket.socket] = []
    try:
        for client in range(CLIENTS):
            for number in range(CONNECTIONS + 1):
                connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
                slow.append(connection)
                if number == CONNECTIONS:
                    connection.sendall(request(server, "/api/progress"))
                elif number % 3 == 0:
                    connection.sendall(request(server, large + "/export?format=csv"))  # never read: it waits in the middle
                elif number % 3 == 1:
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: loc")  # never ended
        answers = []

        def ask() -> None:
            answers.append(server.ask("POST", large + "/tiles", {"level": 20, "first": 0, "count": 4}).status)

        threads = [threading.Thread(target=ask) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert answers == [200] * CLIENTS
    finally:
        for connection in slow:
            connection.close()
    assert server.end() == 0


def test_clients_that_go_away_in_the_middle(serve, large_trace: Path) -> None:
    server = serve(large_trace)
    base = f"/api/trace/{server.ready()[0]['id']}"
    tiles = json.dumps({"level": 14, "first": 0, "count": 64}).encode()
    for path, method, body in ((base + "/export?format=perfetto", "GET", b""), (base + "/tiles", "POST", tiles), (base + "/table/links", "POST", b"{}"), ("/api/progress", "GET", b"")):
        for read in (0, 100):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
            connection.sendall(request(server, path, method, body))
            if read:
                connection.recv(read)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not a goodbye
            connection.close()
    assert server.get("/api/home")["traces"]
    assert server.process.poll() is None


def test_the_same_question_from_many_at_once(serve, large_trace: Path) -> None:
    server = serve(large_trace)
    base = f"/api/trace/{server.ready()[0]['id']}"
    bodies = []
    paths = ["/table/ops", "/table/gaps", "/arrows", "/search", "/flame"] * 2
    asked = {"/search": {"text": "op_1"}, "/flame": {"from": 0, "to": 100_000_000}}

    def ask(path: str) -> None:
        answer = server.ask("POST", base + path, asked.get(path, {"top": 10, "limit": 10}))
        bodies.append((path, answer.status, answer.body))

    threads = [threading.Thread(target=ask, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert len(bodies) == len(paths) and all(status == 200 for _, status, _ in bodies)
    for path in set(paths):
        first, second = [body for p, _, body in bodies if p == path]
        assert first == second, path


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize("while_importing", [True, False])
def test_a_clean_end_with_streams_open(serve, large_trace: Path, how: int, code: int, while_importing: bool) -> None:
    server = serve(large_trace)
    if while_importing:
        while not server.get("/api/home")["traces"]:
            pass
        path = "/api/progress"
    else:
        path = f"/api/trace/{server.ready()[0]['id']}/export?format=csv"
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(request(server, path))
    assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert server.end(how) == code
    assert "rror" not in server.errors, server.errors
    connection.settimeout(60)
    while connection.recv(1 << 20):
        pass
    connection.close()

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""A server of its own for each test that asks for one, and a small trace whose every number is known."""

from __future__ import annotations

import http.client
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
TIMEOUT = 120
STORAGE = {"f64": "d", "f32": "f", "i32": "i", "u32": "I", "u16": "H", "u8": "B", "dict": "I", "lists": "I"}
NULL_CODE = 0xFFFFFFFF


def read_frame(data: bytes) -> dict:
    """The header, with the values of each column under table["data"]."""
    assert data[:4] == b"LWF1"
    (length,) = struct.unpack_from("<I", data, 4)
    assert (8 + length) % 8 == 0
    header = json.loads(data[8 : 8 + length])
    start = 8 + length
    for table in header["tables"]:
        table["data"] = {}
        for column in table["columns"]:
            assert column["offset"] % 8 == 0
            values = list(struct.unpack_from(f"<{column['length']}{STORAGE[column['storage']]}", data, start + column["offset"]))
            if column["storage"] == "dict":
                values = [None if v == NULL_CODE else column["dictionary"][v] for v in values]
            table["data"][column["name"]] = values
    return header


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return self.json()["error"]


class Server:
    """One `lanewise open`, started without a browser; asked with the token unless a test says otherwise."""

    def __init__(self, paths: list[Path | str], state: Path, arguments: list[str], environment: dict[str, str], cwd: Path | None) -> None:
        # No page and no Python unless a test brings its own.
        env = os.environ | {"XDG_STATE_HOME": str(state), "LANEWISE_EXPLORER": str(state / "no page"), "LANEWISE_PYTHON": str(state / "no python")} | environment
        self.process = subprocess.Popen([LANEWISE, "open", "--no-open", "--json", *arguments, *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=env, cwd=cwd)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.said = json.loads(line)
        self.port = self.said["port"]
        self.token = self.said["url"].partition("?token=")[2]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def raw(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes | None = None) -> Answer:
        """Just as given: no token."""
        connection = self.connect()
        connection.request(method, path, body, headers or {})
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def ask(self, method: str, path: str, body=None, headers: dict[str, str] | None = None) -> Answer:
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        return self.raw(method, path, {"Authorization": f"Bearer {self.token}"} | (headers or {}), body)

    def get(self, path: str):
        answer = self.ask("GET", path)
        assert answer.status == 200, (path, answer.status, answer.body)
        return answer.json()

    def post(self, path: str, body=None):
        answer = self.ask("POST", path, {} if body is None else body)
        assert answer.status == 200, (path, answer.status, answer.body)
        return answer.json()

    def frame(self, path: str, body=None, method: str = "POST") -> dict:
        answer = self.ask(method, path, None if method == "GET" else body or {})
        assert answer.status == 200, (path, answer.status, answer.body)
        assert answer.headers["content-type"] == "application/vnd.lanewise.frame"
        return read_frame(answer.body)

    def ready(self, traces: int = 1) -> list[dict]:
        """Waits until so many traces are there and read."""
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until:
            known = self.get("/api/home")["traces"]
            if len(known) >= traces and all(t["state"] != "importing" for t in known):
                return known
            time.sleep(0.02)
        raise AssertionError("the traces were not read in time")

    def end(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        code = self.process.wait(timeout=TIMEOUT)
        self.errors = self.process.stderr.read()
        return code


Serve = Callable[..., Server]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    started: list[Server] = []

    def start(*paths: Path | str, arguments: tuple[str, ...] = ("--port", "0"), environment: dict[str, str] | None = None, state: Path | None = None,
              cwd: Path | None = None) -> Server:
        server = Server(list(paths), state or tmp_path / "state", list(arguments), environment or {}, cwd)
        started.append(server)
        return server

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def event(cat: str, name: str, tid: int, ts: float, dur: float, pid: int = 1, **args) -> dict:
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


@pytest.fixture
def events() -> list[dict]:
    """A step of 1000 us; three aten::mul, each with a launch and a kernel of 50 us; the device waits in between."""
    rows = [event("user_annotation", "ProfilerStep#1", 1, 0, 1000), event("python_function", "model.py(3): forward", 1, 5, 990)]
    for i in range(3):
        at = 100 + 200 * i
        rows.append(event("cpu_op", "aten::mul", 1, at, 100, **{"External id": i + 1}))
        rows.append(event("cuda_runtime", "cudaLaunchKernel", 1, at + 20, 30, correlation=i + 1))
        rows.append(event("kernel", f"mul_kernel_{i}", 7, at + 60, 50, pid=0, device=0, stream=7, correlation=i + 1, big=9007199254740993))
    rows.append({"ph": "C", "cat": "counter", "name": "load", "pid": 1, "ts": 10, "args": {"value": 3}})
    rows.append({"ph": "C", "cat": "counter", "name": "load", "pid": 1, "ts": 500, "args": {"value": 8}})
    return rows


@pytest.fixture
def trace(tmp_path: Path, events: list[dict]) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000, "traceEvents": events}))
    return path


@pytest.fixture(scope="session")
def large_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Big enough that a page can be asked while it is read."""
    folder = tmp_path_factory.mktemp("large")
    small = folder / "small.json"
    rows = [event("cpu_op", f"op_{i % 50}", 1, 10 * i, 8, **{"External id": i}) for i in range(400)]
    rows += [event("kernel", f"kernel_{i % 20}", 7, 10 * i + 5, 4, pid=0, device=0, stream=7, correlation=i) for i in range(400)]
    small.write_text(json.dumps({"schemaVersion": 1, "traceEvents": rows}))
    large = folder / "large.json"
    subprocess.run([LANEWISE, "bench", "generate", "--like", small, "--events", "2000000", large], check=True, capture_output=True, timeout=600)
    return large

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""``lanewise report``: one page that holds its own answers.

Starts the Explorer's server on the trace, asks what the pages would ask (docs/formats/server.md), and writes the answers into
``report.html`` of the page's build. What is not asked here, the page says is missing. With ``redact`` the answers go through
``redaction.py`` first. Needs the standard library only.
"""

from __future__ import annotations

import base64
import datetime
import html
import json
import os
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from lanewise.trace.redaction import Redaction

TABLES = ("ops", "kernels", "gaps", "copies", "hidden", "launches", "steps", "ranks", "memory", "verdict", "health", "summary", "modules")
PLACE = "<!-- lanewise-report -->"
TILE_COLUMNS = 512
TILES_A_REQUEST = 48
# The timeline of a report has so many columns at its finest: 64 zooms of a screen. Wide slices keep their exact times.
MOST_TILES = 256
# Events whose fields the report holds: those that findings and tables point at, the first of them.
MOST_EVENTS = 600
WAIT_S = 3600


class Server:
    """A ``lanewise open`` of our own; the token goes with every request, nothing is kept in the user's state."""

    def __init__(self, binary: str, path: str, state: str) -> None:
        environment = dict(os.environ, XDG_STATE_HOME=state)
        self.process = subprocess.Popen([binary, "open", "--no-open", "--json", path], stdout=subprocess.PIPE, env=environment, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise OSError(f"the server did not start on {path} (exit {self.process.wait()})")
        self.base, token = json.loads(line)["url"].split("?token=")
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, method=method, data=data, headers=self.headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.read()
        except urllib.error.HTTPError as refusal:
            try:
                sentence = json.loads(refusal.read())["error"]
            except (ValueError, KeyError):
                sentence = str(refusal)
            raise LookupError(sentence) from None

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def key_of(method: str, path: str, body: object = None) -> str:
    """As ``keyOf`` of the page: the same question has the same key in whichever order its members come."""
    return f"{method} {path}" if body is None else f"{method} {path} {json.dumps(body, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}"


class Recorder:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.texts: dict[str, object] = {}
        self.frames: dict[str, bytes] = {}
        self.tiles: dict[str, list[bytes]] = {}

    def text(self, method: str, path: str, body: object = None) -> dict:
        answer = json.loads(self.server.ask(method, path, body))
        self.texts[key_of(method, path, body)] = answer
        return answer

    def frame(self, method: str, path: str, body: object = None) -> bytes:
        answer = self.server.ask(method, path, body)
        self.frames[key_of(method, path, body)] = answer
        return answer


def record(server: Server) -> tuple[Recorder, str]:
    recorder = Recorder(server)
    home = wait_until_read(server)
    trace = home["traces"][0]
    home.update(recent=[], examples={"study": None}, sql={"available": False, "text": "A report holds no SQL."})
    recorder.texts["GET api/home"] = home
    at = f"api/trace/{trace['id']}"
    info = recorder.text("GET", at)
    lanes = recorder.text("GET", f"{at}/lanes")["lanes"]
    for name in TABLES:
        optional(lambda name=name: recorder.frame("POST", f"{at}/table/{name}", {}))
    optional(lambda: recorder.frame("GET", f"{at}/memory"))
    record_flames(recorder, at, lanes)
    record_events(recorder, at)
    record_tiles(recorder, at, trace["id"], info, lanes)
    return recorder, trace["name"]


def optional(ask) -> None:
    """What a trace does not have is missing in its report too; the page says so."""
    try:
        ask()
    except LookupError:
        pass


def wait_until_read(server: Server) -> dict:
    end = time.monotonic() + WAIT_S
    while True:
        home = json.loads(server.ask("GET", "api/home"))
        states = [trace["state"] for trace in home["traces"]]
        if "failed" in states or not states:
            raise ValueError(home["traces"][0]["error"] if states else "the server opened nothing")
        if all(state == "ready" for state in states):
            return home
        if time.monotonic() > end:
            raise OSError("the trace was not read within an hour")
        time.sleep(0.2)


def record_flames(recorder: Recorder, at: str, lanes: list[dict]) -> None:
    threads = [lane for lane in lanes if lane["group"] == "framework" and lane["kind"] == "slices"]
    for lane in sorted(threads, key=lambda lane: -lane["sum_ns"])[:8]:
        for bottom_up in (False, True):
            optional(lambda lane=lane, up=bottom_up: recorder.frame("POST", f"{at}/flame", {"lane": lane["id"], "bottom_up": up}))


def record_events(recorder: Recorder, at: str) -> None:
    """Selections that rows make, and the fields and chains of the events they lead to."""
    wanted: dict[str, None] = {}
    selections: list[dict] = []
    for name in TABLES:
        answer = recorder.frames.get(key_of("POST", f"{at}/table/{name}", {}))
        for table in read_frame(answer) if answer else []:
            for column in table["columns"]:
                if column["type"] == "events":
                    for ids in column["lists"]:
                        if ids:
                            selections.append({"events": ids})
                            wanted.update(dict.fromkeys(ids))
                elif column["type"] == "event":
                    ids = [event for event in column["values"] if event is not None]
                    selections += [{"events": [event]} for event in ids[:MOST_EVENTS]]
                    wanted.update(dict.fromkeys(ids))
            # Rows of operators and kernels select by name.
            if name in ("ops", "kernels", "summary", "launches") and table["name"] in ("rows", "top_ops"):
                names = next((column["values"] for column in table["columns"] if column["name"] == "name"), [])
                selections += [{"name": text} for text in names[:60] if text]
    for body in {key_of("", "", body): body for body in selections}.values():
        if len(recorder.frames) > 4 * MOST_EVENTS:
            break
        optional(lambda body=body: wanted.update(dict.fromkeys(first_events(recorder.frame("POST", f"{at}/select", body)))))
    for event in list(wanted)[:MOST_EVENTS]:
        optional(lambda event=event: recorder.text("GET", f"{at}/event/{event}"))
        optional(lambda event=event: recorder.text("GET", f"{at}/chain/{event}"))


def first_events(frame: bytes) -> list[str]:
    for table in read_frame(frame):
        for column in table["columns"]:
            if column["name"] == "event":
                return [event for event in column["values"][:1] if event]
    return []


def record_tiles(recorder: Recorder, at: str, trace: str, info: dict, lanes: list[dict]) -> None:
    level = 0
    while (info["end"] - info["begin"]) / (TILE_COLUMNS * 2**level) > MOST_TILES:
        level += 1
    size = TILE_COLUMNS * 2**level
    first, end = info["begin"] // size, info["end"] // size + 1
    ids = [lane["id"] for lane in lanes]
    recorder.tiles[trace] = [
        recorder.server.ask("POST", f"{at}/tiles", {"level": level, "first": at_tile, "count": min(TILES_A_REQUEST, end - at_tile), "lanes": ids})
        for at_tile in range(first, end, TILES_A_REQUEST)
    ]


def read_frame(frame: bytes) -> list[dict]:
    """The texts, ids and lists of ids of a frame's tables; other values are left where they are."""
    (length,) = struct.unpack_from("<I", frame, 4)
    tables = json.loads(frame[8 : 8 + length])["tables"]
    start = 8 + length
    for table in tables:
        for column in table["columns"]:
            at = start + column["offset"]
            if column["storage"] == "dict":
                codes = struct.unpack_from(f"<{column['length']}I", frame, at)
                column["values"] = [None if code == 0xFFFFFFFF else column["dictionary"][code] for code in codes]
            elif column["type"] == "event" and column["storage"] == "f64":
                column["values"] = [event_text(value) for value in struct.unpack_from(f"<{column['length']}d", frame, at)]
            elif column["storage"] == "lists":
                ends = struct.unpack_from(f"<{column['length']}I", frame, at)
                values = struct.unpack_from(f"<{column['value_length']}d", frame, start + column["value_offset"])
                column["lists"] = [[event_text(value) for value in values[begin:end]] for begin, end in zip((0, *ends), ends)]
    return tables


def event_text(packed: float) -> str | None:
    if packed != packed:
        return None
    part, ordinal = divmod(int(packed), 2**32)
    return f"{part}:{ordinal}" if part else str(ordinal)


def write_report(binary: str, path: str, out: str, redact: bool) -> dict:
    """Writes the page; returns what it holds. Raises OSError, LookupError or ValueError with a sentence."""
    if not Path(path).exists():
        raise OSError(f"cannot read {path}: no such file or folder")
    target = Path(out)
    if target.exists() and os.path.samefile(target, path):
        raise ValueError(f"{out} is the trace itself; write to another file")
    if target.exists() and not target.is_file():
        raise ValueError(f"cannot write {out}: it is no regular file")
    with tempfile.TemporaryDirectory(prefix="lanewise-report-") as state:
        server = Server(binary, path, state)
        try:
            page = page_of(server)
            recorder, title = record(server)
        finally:
            server.stop()
    if PLACE not in page:
        raise ValueError("the Explorer's build has no place for a report")
    if redact:
        title = Redaction(recorder.texts, recorder.frames).apply(recorder)
    recording = {
        "schema": 1,
        "title": title,
        "made": datetime.date.today().isoformat(),
        "answers": {key: {"json": answer} for key, answer in recorder.texts.items()} | {key: {"frame": coded(frame)} for key, frame in recorder.frames.items()},
        "tiles": {trace: [coded(frame) for frame in frames] for trace, frames in recorder.tiles.items()},
    }
    # Inside a script element only `</` and `<!--` could end it early.
    text = json.dumps(recording, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    page = page.replace(PLACE, f'<script type="application/json" id="lanewise-report">{text}</script>')
    page = page.replace("<title>Lanewise Explorer</title>", f"<title>{html.escape(title)} · Lanewise</title>")
    partial = Path(f"{out}.partial")
    try:
        partial.write_text(page, encoding="utf-8")
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
    return {"path": out, "bytes": len(page.encode()), "answers": len(recording["answers"]), "redacted": redact}


def page_of(server: Server) -> str:
    try:
        return server.ask("GET", "report.html").decode()
    except LookupError:
        raise OSError("the Explorer's build holds no report.html; ./run builds it") from None


def coded(frame: bytes) -> str:
    return base64.b64encode(frame).decode()

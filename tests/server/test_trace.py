# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What the server says about a trace: the contract of docs/formats/server.md on a trace whose every number is known."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest


@pytest.fixture
def opened(serve, trace: Path):
    server = serve(trace)
    return server, "/api/trace/" + server.ready()[0]["id"]


def lane(lanes: list[dict], group: str, kind: str = "slices") -> dict:
    return next(one for one in lanes if one["group"] == group and one["kind"] == kind)


def test_home_and_trace(serve, trace: Path) -> None:
    server = serve(trace)
    (known,) = server.ready()
    assert known["state"] == "ready" and known["error"] is None and known["name"] == "small.json" and known["path"] == str(trace)
    assert known["ledger"] == {"read": 13, "kept": 13, "repaired": 0, "dropped": 0}
    home = server.get("/api/home")
    assert [r["path"] for r in home["recent"]] == [str(trace)] and home["recent"][0]["id"] == known["id"]
    assert home["sql"]["available"] is False and "LANEWISE_PYTHON" in home["sql"]["text"]
    info = server.get(f"/api/trace/{known['id']}")
    assert info["origin"] == "1790857026000000000" and info["begin"] == 0 and info["end"] == 1_000_000
    assert info["devices"] == [{"name": "cuda:0", "type": "CUDA", "part": 0}]
    assert info["steps"] == [{"number": 1, "from": 0, "to": 1_000_000, "part": 0}]
    assert "aten::mul" in info["names"] and info["names_version"] == len(info["names"])
    assert server.get(f"/api/trace/{known['id']}?names_from=2")["names"] == info["names"][2:]


def test_lanes_and_tiles_hold_every_nanosecond(opened) -> None:
    server, base = opened
    lanes = server.get(base + "/lanes")["lanes"]
    assert [(one["group"], one["kind"], one["title"]) for one in lanes] == [
        ("annotations", "steps", "steps"), ("annotations", "slices", "ranges on cuda:0"), ("framework", "slices", "thread 1"), ("runtime", "slices", "thread 1"),
        ("hardware", "slices", "stream 7"), ("hardware", "gaps", "idle"), ("counters", "counter", "load")]
    assert lane(lanes, "framework")["rows"] == 3 and lane(lanes, "framework")["sum_ns"] == 2_290_000
    assert lane(lanes, "hardware")["sum_ns"] == 150_000 and lane(lanes, "hardware", "gaps")["sum_ns"] == 850_000
    for level in (6, 10, 14, 40):
        frame = server.frame(base + "/tiles", {"level": level, "first": -1, "count": min(64, 1_100_000 // (512 << level) + 2), "lanes": [one["id"] for one in lanes]})
        for one in lanes:
            table = next(t for t in frame["tables"] if t["name"] == "lane" and t["lane"] == one["id"])
            if one["kind"] == "counter":
                continue
            assert sum(table["data"]["busy"]) == pytest.approx(one["sum_ns"], rel=1e-6), (level, one["title"])
            assert table["data"]["row"] == sorted(table["data"]["row"])
    table = next(t for t in frame["tables"] if t.get("lane") == lane(lanes, "counters", "counter")["id"])
    assert table["data"]["low"] == [3] and table["data"]["high"] == [8] and table["data"]["last"] == [8]


def test_channels(opened) -> None:
    server, base = opened
    host = lane(server.get(base + "/lanes")["lanes"], "framework")["id"]

    def bits(**more) -> set[int]:
        frame = server.frame(base + "/tiles", {"level": 10, "first": 0, "count": 2, "lanes": [host]} | more)
        table = frame["tables"][0]
        return {channels for row, channels in zip(table["data"]["row"], table["data"]["channels"]) if row == 2}

    assert bits() == {1}
    assert bits(filter={"name": "aten"}) == {1}
    assert bits(filter={"name": "aten", "min_ns": 200_000}) == {0}
    assert bits(filter={"hide": ["aten::mul"]}) == {0}
    assert bits(search="mul") == {3}
    chosen = server.frame(base + "/select", {"name": "aten::mul"})
    assert chosen["total"] == 3 and chosen["sum_ns"] == 300_000 and chosen["union_ns"] == 300_000 and chosen["first_ns"] == 100_000 and chosen["last_ns"] == 600_000
    assert bits(selection=chosen["selection"]) == {5}
    assert bits(selection=999_999) == {1}
    assert server.ask("POST", base + "/tiles", {"level": 10, "first": 0, "count": 1, "filter": {"name": "x" * 401}}).status == 400


def test_a_lane_is_drawn_once_however_often_it_is_named(opened) -> None:
    server, base = opened
    host = lane(server.get(base + "/lanes")["lanes"], "framework")["id"]
    asked = {"level": 10, "first": 0, "count": 2}
    many = server.frame(base + "/tiles", asked | {"lanes": [host] * 10_000})
    assert [table["lane"] for table in many["tables"]] == [table["lane"] for table in server.frame(base + "/tiles", asked | {"lanes": [host]})["tables"]]
    assert server.ask("POST", base + "/tiles", asked | {"lanes": [host] * 300_000}).status == 400


def test_from_an_operator_to_the_device(opened) -> None:
    server, base = opened
    found = server.frame(base + "/search", {"text": "^aten::mul$", "regex": True})
    assert found["total"] == 3
    data = found["tables"][0]["data"]
    first = str(int(data["event"][0]))
    chain = server.get(f"{base}/chain/{first}")
    assert [(s["role"], s["name"]) for s in chain["steps"]] == [
        ("python", "model.py(3): forward"), ("op", "aten::mul"), ("call", "cudaLaunchKernel"), ("device", "mul_kernel_0")]
    assert [s["after_ns"] for s in chain["steps"]] == [None, 95_000, 20_000, 40_000]
    assert [(a["kind"], a["method"]) for a in chain["arrows"]] == [("runtime", "containment"), ("launch", "correlation")] and chain["arrows_total"] == 2
    kernel = chain["steps"][-1]["event"]
    details = server.get(f"{base}/event/{kernel['id']}")
    assert details["args"]["correlation"] == 1 and details["args"]["big"] == "9007199254740993", "beyond a double: text"
    assert details["stream"] == "7" and details["device"] == "cuda:0" and details["step"] == 1
    assert details["stack"] == [{"name": "forward", "file": "model.py", "line": 3, "event": "1"}]
    assert json.loads(details["json"])["name"] == "mul_kernel_0"
    hit = server.post(base + "/hit", {"lane": kernel["lane"], "row": 0, "from": 150_000, "to": 170_000})
    assert hit["event"] == kernel
    step = server.post(base + "/step", {"event": kernel["id"], "dir": "next", "what": "event"})
    assert step["event"]["name"] == "mul_kernel_1"
    gap = server.post(base + "/step", {"event": kernel["id"], "dir": "next", "what": "gap"})["gap"]
    assert gap["from"] == 210_000 and gap["device"] == "cuda:0" and gap["cause"]
    arrows = server.frame(base + "/arrows", {"from": 0, "to": 1_000_000, "kinds": ["launch"]})
    assert arrows["total"] == 3 and arrows["tables"][0]["data"]["from_ns"] == [120_000, 320_000, 520_000]


def test_tables_with_range_order_and_top(opened) -> None:
    server, base = opened
    for name in ("ops", "kernels", "gaps", "copies", "hidden", "launches", "steps", "ranks", "annotations", "memory", "overlap", "health", "verdict", "links", "tree", "summary", "modules"):
        frame = server.frame(f"{base}/table/{name}")
        assert frame["main"] in [t["name"] for t in frame["tables"]], name
    rows = server.frame(base + "/table/kernels", {"sort": "name:desc", "top": 2})["tables"][0]["data"]
    assert rows["name"] == ["mul_kernel_2", "mul_kernel_1"]
    only = server.frame(base + "/table/kernels", {"from": 0, "to": 250_000})["tables"][0]["data"]
    assert only["name"] == ["mul_kernel_0"]
    assert server.frame(base + "/table/chain", {"options": {"event": "2"}})["tables"][0]["rows"] == 4
    assert server.ask("POST", base + "/table/kernels", {"sort": "nothing"}).status == 400
    assert server.ask("POST", base + "/table/kernels", {"from": 5, "to": 5}).status == 400
    assert server.ask("POST", base + "/table/kernels", {"device": "cuda:9"}).status == 404
    assert server.ask("POST", base + "/table/nothing").status == 404


def test_flame_memory_info(opened) -> None:
    server, base = opened
    lanes = server.get(base + "/lanes")["lanes"]
    for bottom_up in (False, True):
        nodes = server.frame(base + "/flame", {"lane": lane(lanes, "framework")["id"], "bottom_up": bottom_up})["tables"][0]["data"]
        assert sum(nodes["self_ns"]) == 1_000_000
    assert server.frame(base + "/flame", {"thread": "1"})["tables"][0]["rows"] == 4
    assert [t["name"] for t in server.frame(base + "/memory", method="GET")["tables"]] == ["devices", "owners", "curve"]
    assert server.get(base + "/info")["events"]["total"] == 13


def test_what_is_not_there(opened) -> None:
    server, base = opened
    assert server.ask("GET", "/api/trace/none/lanes").status == 404
    for path in ("/event/99999", "/event/7:0", "/chain/99999"):
        assert server.ask("GET", base + path).status == 404, path
    for path in ("/event/x", "/event/1:2:3", "/chain/-1"):
        assert server.ask("GET", base + path).status == 400, path
    assert server.ask("POST", base + "/tiles", {"level": 3, "first": 0, "count": 1, "lanes": [1]}).status == 404
    assert server.ask("POST", base + "/tiles", {"level": 99, "first": 0, "count": 1}).status == 400
    assert server.ask("POST", base + "/hit", {"lane": 1, "row": 0, "from": 0, "to": 1}).status == 404
    assert server.ask("POST", base + "/search", {"text": "(", "regex": True}).status == 400
    assert server.ask("POST", base + "/step", {"event": "0", "dir": "sideways"}).status == 400
    assert server.ask("POST", base + "/flame", {"thread": "77"}).status == 404
    assert server.ask("POST", "/api/compare", {"ids": ["a"]}).status == 400
    assert server.ask("POST", "/api/compare", {"ids": ["a", "b"]}).status == 404
    assert server.ask("POST", base + "/sql", {"sql": "select 1"}).status == 501


def test_compare_lines_traces_up_by_step(serve, trace: Path, events: list[dict], tmp_path: Path) -> None:
    slower = tmp_path / "slower.json"
    later = [e | {"ts": e["ts"] + 300, "dur": e.get("dur", 0) * 2} for e in events if e["ph"] == "X"]
    slower.write_text(json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "before", "pid": 1, "tid": 1, "ts": 0, "dur": 10}, *later]}))
    server = serve(trace, slower)
    ids = [known["id"] for known in server.ready(2)]
    frame = server.frame("/api/compare", {"ids": ids})
    assert [t["name"] for t in frame["tables"]] == ["sides", "metrics", "explain", "rows"]
    assert frame["anchors"] == [{"id": ids[0], "origin_ns": 0}, {"id": ids[1], "origin_ns": 300_000}]


def test_while_a_file_is_read_its_head_is_shown(serve, large_trace: Path) -> None:
    server = serve(large_trace)
    shown = refused = False
    while True:
        traces = server.get("/api/home")["traces"]
        if traces and traces[0]["state"] != "importing":
            break
        if traces and not (shown and refused):
            base = f"/api/trace/{traces[0]['id']}"
            lanes = server.ask("GET", base + "/lanes")
            table = server.ask("POST", base + "/table/ops", {})
            refused |= table.status == 409
            if lanes.status == 200 and not lanes.json()["ready"]:
                ids = [one["id"] for one in lanes.json()["lanes"]]
                tiles = server.ask("POST", base + "/tiles", {"level": 20, "first": 0, "count": 8, "lanes": ids})
                # Lanes may be those of a newer state by then; their ids stay the same.
                shown |= tiles.status == 200 and b"busy" in tiles.body and sum(one["events"] for one in lanes.json()["lanes"]) > 0
        time.sleep(0.01)
    assert refused, "analyses wait for the whole file"
    assert shown, "the head of the file is drawn before its end is read"
    assert traces[0]["state"] == "ready" and traces[0]["progress"]["done"] == large_trace.stat().st_size
    lanes = server.get(f"/api/trace/{traces[0]['id']}/lanes")
    assert lanes["ready"] and sum(one["events"] for one in lanes["lanes"] if one["kind"] == "slices") > 1_000_000


@pytest.mark.parametrize("how", ["deleted", "cut", "changed"])
def test_a_file_that_goes_away_under_an_open_server(serve, trace: Path, how: str) -> None:
    server = serve(trace)
    base = "/api/trace/" + server.ready()[0]["id"]
    if how == "deleted":
        trace.unlink()
    elif how == "cut":
        trace.write_bytes(trace.read_bytes()[:200])
    else:
        trace.write_bytes(trace.read_bytes().replace(b"aten::mul", b"aten::add"))
    answer = server.ask("GET", base + "/event/3")
    assert answer.status == 410 and str(trace) in answer.error
    # What is in memory goes on.
    assert server.get(base + "/lanes")["lanes"]
    assert server.frame(base + "/tiles", {"level": 10, "first": 0, "count": 2})["tables"]
    assert server.get(base + "/chain/2")["steps"]
    assert server.frame(base + "/table/ops")["tables"]


def test_damaged_and_unreadable_files(serve, trace: Path, tmp_path: Path) -> None:
    cut, none = tmp_path / "cut.json", tmp_path / "none.json"
    cut.write_bytes(trace.read_bytes()[:-150])
    none.write_text("no trace at all")
    server = serve(cut, none)
    first, second = server.ready(2)
    while first["health"] == "good":  # looked at after the trace is ready
        first = server.get("/api/home")["traces"][0]
    assert first["state"] == "ready" and first["health"] == "errors" and first["health_text"]
    assert server.get(f"/api/trace/{first['id']}/lanes")["lanes"]
    assert second["state"] == "ready" or "none.json" in second["error"]


def test_closing_and_opening_again(serve, trace: Path) -> None:
    server = serve(trace)
    (known,) = server.ready()
    assert server.post("/api/close", {"id": known["id"]}) == {}
    assert server.get("/api/home")["traces"] == []
    assert server.ask("GET", f"/api/trace/{known['id']}/lanes").status == 404
    assert server.post("/api/open", {"path": str(trace)})["id"] == known["id"], "the id is made of the content"

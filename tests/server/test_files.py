# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Files that come in, go out, or are shown: uploads, folders, source, exports, what the page keeps."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest


def test_only_what_was_named_is_opened(serve, trace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "named"
    folder.mkdir()
    inside, outside = folder / "inside.json", tmp_path / "outside.json"
    inside.write_bytes(trace.read_bytes())
    outside.write_bytes(trace.read_bytes() + b"\n")
    (folder / "link.json").symlink_to(outside)
    server = serve(folder)
    server.ready()
    assert server.post("/api/open", {"path": str(inside)})["name"] == "inside.json"
    for path in (outside, folder / "link.json", folder / ".." / "outside.json", "/etc/passwd"):
        answer = server.ask("POST", "/api/open", {"path": str(path)})
        assert answer.status == 403 and "named" in answer.error, path
    assert server.ask("POST", "/api/open", {"path": str(folder / "none.json")}).status == 404
    assert server.ask("POST", "/api/open", {}).status == 400


def test_what_was_opened_before_can_be_opened_again(serve, trace: Path) -> None:
    first = serve(trace)
    first.ready()
    first.end()
    second = serve()
    (recent,) = second.get("/api/home")["recent"]
    assert recent["path"] == str(trace) and second.get("/api/home")["traces"] == []
    assert second.post("/api/open", {"path": recent["path"]})["id"] == recent["id"]
    second.ready()


def test_folders_are_listed_when_they_were_named(serve, trace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "sub").mkdir(parents=True)
    for name in ("a.pt.trace.json.gz", "b.pt.trace.json.gz"):
        (folder / name).write_bytes(gzip.compress(trace.read_bytes()))
    (folder / "notes.txt").write_text("x")
    (folder / ".hidden.json").write_text("{}")
    server = serve(folder)
    server.ready()
    assert server.get("/api/home")["folders"] == [str(folder)]
    listed = server.get("/api/folder?path=" + quote(str(folder)))
    assert [(e["name"], e["kind"]) for e in listed["entries"]] == [("sub", "folder"), ("a.pt.trace.json.gz", "trace"), ("b.pt.trace.json.gz", "trace")]
    assert server.ask("GET", "/api/folder?path=" + quote(str(tmp_path))).status == 403
    assert server.ask("GET", "/api/folder?path=" + quote(str(folder) + "/../..")).status == 403
    assert server.ask("GET", "/api/folder?path=" + quote(str(folder / "a.pt.trace.json.gz"))).status == 400
    assert server.ask("GET", "/api/folder").status == 400


def test_upload(serve, trace: Path) -> None:
    server = serve()
    known = server.ask("POST", "/api/upload?name=" + quote("my trace.json.gz"), gzip.compress(trace.read_bytes()))
    assert known.status == 200 and known.json()["name"] == "my trace.json.gz"
    (ready,) = server.ready()
    assert ready["state"] == "ready" and ready["ledger"]["kept"] == 13
    assert server.get(f"/api/trace/{ready['id']}/event/3")["name"] == "cudaLaunchKernel", "args are read from what was kept"
    kept = Path(ready["path"])
    assert kept.exists()
    server.end()
    assert not kept.exists(), "uploads end with the server"


def test_upload_in_chunks_and_as_a_folder(serve, trace: Path, tmp_path: Path) -> None:
    server = serve()
    data = trace.read_bytes()
    for rank in (0, 1):
        piece = json.dumps({"distributedInfo": {"rank": rank, "world_size": 2}, **json.loads(data)}).encode()
        connection = server.connect()
        chunks = (piece[i : i + 100] for i in range(0, len(piece), 100))
        connection.request("POST", f"/api/upload?name=rank{rank}/trace.json&folder=job", chunks, {"Authorization": f"Bearer {server.token}"}, encode_chunked=True)
        assert connection.getresponse().status == 200
    known = server.ask("POST", "/api/upload/done?folder=job")
    assert known.status == 200
    (ready,) = server.ready()
    assert server.get(f"/api/trace/{ready['id']}")["ranks"] == [0, 1]
    assert server.ask("POST", "/api/upload/done?folder=none").status == 404


def test_uploads_are_limited_and_stay_where_they_belong(serve, trace: Path, tmp_path: Path) -> None:
    server = serve(arguments=("--port", "0", "--upload-limit", "1000000"))
    assert server.get("/api/home")["upload_limit"] == 1_000_000
    too_large = server.ask("POST", "/api/upload?name=x.json", b"x" * 1_000_001)
    assert too_large.status == 413 and "--upload-limit" in too_large.error
    connection = server.connect()
    connection.request("POST", "/api/upload?name=x.json", (b"x" * 100_000 for _ in range(11)), {"Authorization": f"Bearer {server.token}"}, encode_chunked=True)
    assert connection.getresponse().status == 413, "a length that was not told is no way around"
    for name in ("..", "../x.json", "a/b.json", "/etc/x", "", "%00"):
        assert server.ask("POST", "/api/upload?name=" + (name if name == "%00" else quote(name, safe="")), b"x").status == 400, name
    assert server.ask("POST", "/api/upload?folder=k&name=" + quote("../../x.json", safe=""), b"x").status == 400
    assert server.ask("POST", "/api/upload", b"x").status == 400
    # A client that goes away half way leaves nothing behind.
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as half:
        half.sendall(f"POST /api/upload?name=half.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 500000\r\n\r\n".encode() + b"x" * 1000)
    good = server.ask("POST", "/api/upload?name=good.json", trace.read_bytes())
    assert good.status == 200
    server.ready()
    left = [path.name for path in (tmp_path / "state").rglob("*.json") if "uploads" in path.parts]
    assert left == ["good.json"]


def test_source_lines(serve, trace: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "model.py").write_text("".join(f"line {i}\n" for i in range(1, 101)))
    (tmp_path / "secret.py").write_text("secret")
    (project / "link.py").symlink_to(tmp_path / "secret.py")
    for arguments, cwd in ((("--port", "0", "--source-root", str(project)), None), (("--port", "0"), project)):
        server = serve(trace, arguments=arguments, cwd=cwd)
        base = "/api/trace/" + server.ready()[0]["id"]
        shown = server.get(base + "/source?file=model.py&line=50")
        assert shown["line"] == 50 and shown["lines"][50 - shown["first_line"]] == "line 50" and shown["file"] == str(project / "model.py")
        for file in ("../secret.py", "link.py", str(tmp_path / "secret.py"), "/etc/passwd", "/etc/not_there"):
            answer = server.ask("GET", base + "/source?line=1&file=" + quote(file))
            assert answer.status == 403 and b"secret\"" not in answer.body, file
        assert server.ask("GET", base + "/source?file=none.py&line=1").status == 404
        assert server.get(base + "/source?file=model.py&line=99999999999999999999")["lines"] == []
        assert server.ask("GET", base + "/source").status == 400


def test_exports(serve, trace: Path, tmp_path: Path) -> None:
    server = serve(trace)
    base = "/api/trace/" + server.ready()[0]["id"]
    perfetto = server.ask("GET", base + "/export?format=perfetto")
    assert perfetto.status == 200 and perfetto.headers["content-disposition"] == 'attachment; filename="small.json.perfetto-trace"'
    written = tmp_path / "again.pftrace"
    written.write_bytes(perfetto.body)
    again = subprocess.run([server.process.args[0], "info", "--json", written], capture_output=True, text=True, timeout=60)
    assert json.loads(again.stdout)["events"]["by_phase"]["X"] == 11
    kernels = server.ask("GET", base + "/export?format=csv&table=kernels").body.decode().splitlines()
    assert kernels[0].startswith("name,") and len(kernels) == 4
    assert server.ask("GET", base + "/export?format=csv&table=gaps_devices").body.decode().startswith("device,")
    assert len(server.ask("GET", base + "/export?format=csv").body.decode().splitlines()) == 14
    assert server.ask("GET", base + "/export?format=csv&table=nothing").status == 404
    assert server.ask("GET", base + "/export?format=docx").status == 400


def test_a_broken_export_is_seen_as_broken(serve, trace: Path) -> None:
    server = serve(trace)
    base = "/api/trace/" + server.ready()[0]["id"]
    trace.unlink()  # counters are read again for it
    connection = server.connect()
    connection.request("GET", base + "/export?format=perfetto", headers={"Authorization": f"Bearer {server.token}"})
    with pytest.raises(Exception, match="IncompleteRead|closed"):
        connection.getresponse().read()
    assert server.get("/api/home")


def test_what_the_page_keeps(serve) -> None:
    server = serve()
    assert server.get("/api/state/layout") is None
    assert server.ask("PUT", "/api/state/layout", {"panels": [1, 2]}).status == 200
    assert server.get("/api/state/layout") == {"panels": [1, 2]}
    assert server.ask("PUT", "/api/state/layout", b"not json").status == 400
    assert server.ask("PUT", "/api/state/layout", b'"' + b"x" * (1 << 20) + b'"').status == 413
    for key in ("..", "a.b", "a%2fb", "x" * 81):
        assert server.ask("PUT", "/api/state/" + key, {}).status in (400, 404), key
    server.end()
    assert serve().get("/api/state/layout") == {"panels": [1, 2]}


has_sql = all(importlib.util.find_spec(name) for name in ("duckdb", "pyarrow", "lanewise"))


@pytest.mark.skipif(not has_sql, reason="needs duckdb, pyarrow and the installed package")
def test_sql_reaches_the_tables_and_nothing_else(serve, trace: Path, tmp_path: Path) -> None:
    server = serve(trace, environment={"LANEWISE_PYTHON": os.environ.get("LANEWISE_PYTHON", sys.executable)})
    base = "/api/trace/" + server.ready()[0]["id"]
    assert server.get("/api/home")["sql"] == {"available": True, "text": ""}
    frame = server.frame(base + "/sql", {"sql": "select name, event, cast(9007199254740993 as bigint) as big, null as nothing from links order by name", "limit": 2})
    result = frame["tables"][0]
    assert frame["events_column"] == "event" and frame["more"] is True
    assert result["data"]["name"] == ["mul_kernel_0", "mul_kernel_1"] and result["data"]["big"] == ["9007199254740993"] * 2
    assert [c["type"] for c in result["columns"]][:3] == ["text", "event", "integer"]
    assert all(value != value for value in result["data"]["nothing"]), "null"
    (tmp_path / "secret.csv").write_text("a\n1\n")
    for sql in ("select * from nothing", "selec 1", f"select * from '{tmp_path}/secret.csv'", f"copy (select 1) to '{tmp_path}/out.csv'", "set enable_external_access = true"):
        answer = server.ask("POST", base + "/sql", {"sql": sql})
        assert answer.status == 400 and answer.error, sql
    assert not (tmp_path / "out.csv").exists()
    assert server.ask("POST", base + "/sql", {"sql": ""}).status == 400
    # The process would read another file than the page shows.
    trace.write_bytes(trace.read_bytes().replace(b"mul_kernel", b"add_kernel"))
    changed = server.ask("POST", base + "/sql", {"sql": "select 1"})
    assert changed.status == 410 and str(trace) in changed.error

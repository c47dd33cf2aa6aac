# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Real pairs that are cut, incomplete or mixed up: a sentence that says what to do, never numbers of half a capture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from edited_captures import members, with_members  # noqa: E402

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
HARDWARE = Path(os.environ.get("LANEWISE_SHARED", Path(__file__).resolve().parents[2].parent / "shared")) / "hardware"


def lanewise(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([LANEWISE, *map(str, arguments)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A copy that may be changed."""
    out = []
    for ending in ("neff", "ntff"):
        given = HARDWARE / f"stream_256k_fd1k.{ending}"
        if not given.exists():
            pytest.skip(f"{given} is not there: no real pair is damaged")
        (tmp_path / f"a.{ending}").write_bytes(given.read_bytes())
        out.append(tmp_path / f"a.{ending}")
    return out[0], out[1]


def vector_byte(neff: Path, ntff: Path, index: int, byte: int, value: int) -> None:
    """Of one instruction of the Vector engine, in the program and in the capture's copy of it."""
    content = members(neff.read_bytes())
    binary = content["sg00/DVE.bin"]
    old = binary[64 * index : 64 * index + 64]
    new = old[:byte] + bytes([value]) + old[byte + 1 :]
    content["sg00/DVE.bin"] = binary[: 64 * index] + new + binary[64 * index + 64 :]
    neff.write_bytes(with_members(neff.read_bytes(), content))
    capture = ntff.read_bytes()
    assert capture.count(old) == 1
    ntff.write_bytes(capture.replace(old, new))


def test_a_cut_capture_is_not_compared(pair: tuple[Path, Path]) -> None:
    neff, ntff = pair
    ntff.write_bytes(ntff.read_bytes()[:60000])
    done = lanewise("validate", neff, ntff)
    assert done.returncode == 2
    assert "the file ends at byte 60000" in done.stderr and "copy it again, or capture it again" in done.stderr
    shown = lanewise("view", "-n", neff, "-s", ntff, "--output-format", "summary-text")   # what lies before the damage
    assert shown.returncode == 0 and "the file ends at byte 60000" in shown.stderr


def test_a_cut_archive_is_not_compared(pair: tuple[Path, Path]) -> None:
    neff, ntff = pair
    neff.write_bytes(neff.read_bytes()[:-20])
    done = lanewise("validate", neff, ntff)
    assert done.returncode == 2 and "a pair that is not whole" in done.stderr


def test_whole_pairs_of_a_folder_are_compared_beside_a_cut_one(pair: tuple[Path, Path]) -> None:
    neff, ntff = pair
    (neff.parent / "b.neff").write_bytes(neff.read_bytes())
    (neff.parent / "b.ntff").write_bytes(ntff.read_bytes()[:60000])
    done = lanewise("validate", neff.parent)
    assert done.returncode == 2 and done.stdout.startswith("a: ours") and "b: a pair that is not whole" in done.stderr


@pytest.mark.parametrize("member", ["sg00/Pool.bin", "sg00/SP.json", "sg00/def.json", "sg01/PE.bin"])
@pytest.mark.parametrize("content", [None, b"{}!"])
def test_a_program_without_a_part_is_not_run(pair: tuple[Path, Path], tmp_path: Path, member: str, content: bytes | None) -> None:
    neff, ntff = pair
    edited = members(neff.read_bytes())
    del edited[member]
    if content is not None:
        edited[member] = content
    neff.write_bytes(with_members(neff.read_bytes(), edited))
    ones = np.ones(256000, np.float32)
    np.savez(tmp_path / "in.npz", a_vec=ones, b_vec=ones)
    done = lanewise("device", "run", neff, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    assert done.returncode == 2 and member in done.stderr and "is not run" in done.stderr
    assert not (tmp_path / "out.npz").exists()
    assert lanewise("validate", neff, ntff).returncode == 2


@pytest.mark.parametrize("byte, value", [(4, 1), (4, 0x85), (6, 0x14)])
def test_a_wait_or_update_that_is_not_understood_stops_the_replay(pair: tuple[Path, Path], byte: int, value: int) -> None:
    neff, ntff = pair
    vector_byte(neff, ntff, 2, byte, value)
    done = lanewise("validate", neff, ntff)
    assert done.returncode == 2 and "waits or updates" in done.stderr and f"0x{value:02x}" in done.stderr


def test_swapped_files_and_files_that_are_none(pair: tuple[Path, Path]) -> None:
    neff, ntff = pair
    for question in (("device", "summary"), ("validate",)):
        assert "swapped" in lanewise(*question, ntff, neff).stderr
    neff.write_bytes(neff.read_bytes()[:1000])
    done = lanewise("device", "summary", neff)
    assert done.returncode == 2 and "not a NEFF (the header needs 1024 bytes" in done.stderr


def test_pipes_and_devices_do_not_hang(pair: tuple[Path, Path], tmp_path: Path) -> None:
    neff, _ = pair
    pipe = tmp_path / "p.neff"
    os.mkfifo(pipe)
    out = tmp_path / "out.npz"
    for words in (("device", "summary", pipe), ("device", "disasm", pipe), ("device", "disasm", "/dev/zero"),
                  ("device", "run", neff, "--inputs", "/dev/zero", "--outputs", out), ("view", "-n", pipe, "--output-format", "json")):  # fmt: skip
        done = lanewise(*words)
        assert done.returncode == 2 and done.stderr, words


def test_whatif_of_a_real_pair_says_what_does_it(pair: tuple[Path, Path]) -> None:
    done = lanewise("device", "whatif", pair[0], "--set", "pe.clock_khz=1200000")
    assert done.returncode == 2 and "lanewise validate" in done.stderr


def test_top_zero_is_all_rows(pair: tuple[Path, Path]) -> None:
    every = lanewise("device", "instructions", pair[0], "--csv")
    assert every.returncode == 0 and len(every.stdout.splitlines()) > 3
    assert lanewise("device", "instructions", pair[0], "--csv", "--top", "0").stdout == every.stdout
    wrong = lanewise("device", "instructions", pair[0], "--top", "x")
    assert wrong.returncode == 2 and len(wrong.stderr) < 200


def test_processes_that_write_one_name_leave_one_whole_profile(pair: tuple[Path, Path], tmp_path: Path) -> None:
    words = [LANEWISE, "view", "-n", pair[0], "--ingest-only", "--data-path", tmp_path / "store", "--display-name", "same"]
    running = [subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in running:
        _, errors = process.communicate(timeout=60)
        if "pyarrow" in errors:
            pytest.skip("needs pyarrow")
        assert process.returncode == 0, errors
    folder = tmp_path / "store" / "profiles" / "global"
    assert [f.name for f in folder.iterdir()] == ["same@latest"]
    assert (folder / "same@latest" / "Summary.parquet").exists() and not list(folder.rglob("*.part"))


def test_a_display_name_stays_in_the_store(pair: tuple[Path, Path], tmp_path: Path) -> None:
    done = lanewise("view", "-n", pair[0], "--ingest-only", "--data-path", tmp_path / "store", "--display-name", "../../../x")
    assert done.returncode == 2 and "--display-name" in done.stderr and not (tmp_path / "store").exists()


def test_view_json_does_not_destroy_what_it_reads(pair: tuple[Path, Path], tmp_path: Path) -> None:
    neff, ntff = pair
    before = ntff.read_bytes()
    done = lanewise("view", "-n", neff, "--output-format", "json", "--output-file", ntff)
    assert done.returncode == 2 and done.stderr and ntff.read_bytes() == before
    written = lanewise("view", "-n", neff, "--output-format", "json", "--output-file", tmp_path / "x.json")
    assert written.returncode == 0 and (tmp_path / "x.json").read_text() == lanewise("view", "-n", neff, "--output-format", "json").stdout


def test_a_machine_that_is_asked_for_is_not_called_the_capture_s(pair: tuple[Path, Path]) -> None:
    done = lanewise("device", "roofline", pair[0], "--machine", "trn2,pe.clock_khz=0")
    assert done.returncode == 2 and "must be 1 to" in done.stderr and "the capture's machine" not in done.stderr


def test_a_folder_of_pairs_without_a_trace_is_ingested(pair: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "pairs").mkdir()
    for file in pair:
        file.rename(tmp_path / "pairs" / file.name)
    done = lanewise("view", "-d", tmp_path / "pairs", "--ingest-only", "--data-path", tmp_path / "store")
    if "pyarrow" in done.stderr:
        pytest.skip("needs pyarrow")
    assert done.returncode == 0, done.stderr
    assert [f.name for f in (tmp_path / "store" / "profiles" / "global").iterdir()] == ["pairs_n_a@latest"]

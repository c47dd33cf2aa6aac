# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""lanewise device run and disasm: programs recorded on a real trn2 give NumPy's results, and ours PyTorch's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

LANEWISE = Path(os.environ.get("LANEWISE_COMMAND", Path(sys.executable).parent / "lanewise"))
HARDWARE = Path(os.environ.get("LANEWISE_SHARED", Path(__file__).resolve().parents[2].parent / "shared")) / "hardware"


def lanewise(*arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([LANEWISE, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def real(name: str) -> Path:
    path = HARDWARE / name
    if not path.exists():
        pytest.skip(f"{path} is not there: real programs are not run")
    return path


def execute(neff: Path, folder: Path, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    np.savez(folder / "inputs.npz", **inputs)
    done = lanewise("device", "run", neff, "--inputs", folder / "inputs.npz", "--outputs", folder / "outputs.npz")
    assert done.returncode == 0, done.stderr
    with np.load(folder / "outputs.npz") as outputs:
        return dict(outputs)


def convolution(x: np.ndarray, w: np.ndarray, bias: np.ndarray) -> np.ndarray:
    x, w = x[0].astype(np.float64), w.astype(np.float64)
    height, width = x.shape[1] - 2, x.shape[2] - 2
    out = np.zeros((w.shape[0], height, width)) + bias.astype(np.float64)[:, None, None]
    for i in range(3):
        for j in range(3):
            out += np.einsum("oc,chw->ohw", w[:, :, i, j], x[:, i:i + height, j:j + width])
    return out[None]


def test_add(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    a, b = (random.standard_normal(256000).astype(np.float32) for _ in range(2))
    out = execute(real("stream_256k_fd1k.neff"), tmp_path, a_vec=a, b_vec=b)["out"]
    assert np.array_equal(out, a + b)


def test_transpose_moves_bits(tmp_path: Path) -> None:
    a = np.random.default_rng(2).integers(0, 2**32, (1024, 1024), dtype=np.uint32).view(np.float32)
    out = execute(real("transpose_1024.neff"), tmp_path, a_tensor=a)["out"]
    assert np.array_equal(out.view(np.uint32), a.T.view(np.uint32) if a.T.flags.c_contiguous else np.ascontiguousarray(a.T).view(np.uint32))


@pytest.mark.parametrize(("name", "dtype", "tolerance"), [("conv2d_3_float32_smaller.neff", np.float32, 1e-5),
                                                          ("conv2d_4_float16_smaller.neff", np.float16, 2e-3)])
def test_convolution(tmp_path: Path, name: str, dtype: type, tolerance: float) -> None:
    random = np.random.default_rng(3)
    x = random.standard_normal((1, 256, 32, 16)).astype(dtype)
    w = (random.standard_normal((256, 256, 3, 3)) / 48).astype(dtype)
    bias = random.standard_normal(256).astype(dtype)
    out = execute(real(name), tmp_path, X=x, W=w, bias=bias)["X_out"]
    want = convolution(x, w, bias)
    assert out.shape == want.shape and out.dtype == dtype
    assert np.abs(out.astype(np.float64) - want).max() <= tolerance * np.abs(want).max()


def test_compressed_inputs_are_read_and_wrong_ones_named(tmp_path: Path) -> None:
    neff = real("stream_256k_fd1k.neff")
    np.savez_compressed(tmp_path / "x.npz", a_vec=np.zeros(256000, np.float32))
    done = lanewise("device", "run", neff, "--inputs", tmp_path / "x.npz", "--outputs", tmp_path / "y.npz")
    assert done.returncode == 2 and "input b_vec is missing" in done.stderr
    assert not (tmp_path / "y.npz").exists()


@pytest.mark.parametrize("name", ["stream_256k_fd1k.neff", "transpose_1024.neff", "conv2d_3_float32_smaller.neff", "conv2d_4_float16_smaller.neff"])
def test_disasm_accounts_for_every_byte(name: str) -> None:
    neff = real(name)
    listing = json.loads(lanewise("device", "disasm", neff, "--json").stdout)
    for engine in listing["ledger"]["engines"]:
        assert engine["unknown"] == 0 and engine["not_understood"] == 0
        assert engine["known"] + engine["padding"] == engine["bytes"] == 64 * engine["instructions"]
    assert all(member["use"] != "unknown" for member in listing["ledger"]["members"])
    assert listing["ledger"]["problems"] == []
    one = lanewise("device", "disasm", neff, "--engine", "DVE")
    assert one.returncode == 0 and "core 0  vector" in one.stdout and "core 0  pe" not in one.stdout


def test_disasm_refuses_with_a_sentence(tmp_path: Path) -> None:
    empty, other = tmp_path / "empty.neff", tmp_path / "other.neff"
    empty.write_bytes(b"")
    other.write_bytes(b"#!/bin/sh\n" * 500)
    for path, words in ((empty, "the file is empty"), (other, "not a NEFF"), (tmp_path / "none.neff", "none.neff")):
        done = lanewise("device", "disasm", path)
        assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1


def test_ours_computes_what_pytorch_does(tmp_path: Path) -> None:
    done = lanewise("study", "rmsnorm", "--output", tmp_path / "study")
    assert done.returncode == 0, done.stderr
    (neff,) = (tmp_path / "study" / "fused").glob("i-*_pid_*/*/neff_*.neff")
    listing = json.loads(lanewise("device", "disasm", neff, "--json").stdout)
    assert listing["compiler"].startswith("lanewise") and listing["instructions"]
    inputs = [tensor for tensor in listing["tensors"] if tensor["kind"] == "input"]
    random = np.random.default_rng(4)
    # bfloat16 is the upper half of a float32; NumPy has it as raw bytes.
    given = {t["name"]: (random.standard_normal(t["bytes"] // 2).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for t in inputs}
    (epsilon,) = listing["parameters"]
    given[epsilon["name"]] = np.float32(1e-6)
    out = execute(neff, tmp_path, **given)["output 0"]
    assert out.nbytes == 4 * 512 * 2
    values = (np.frombuffer(out.tobytes(), np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(4, 512)
    as_float = {name: (a.astype(np.uint32) << 16).view(np.float32) for name, a in given.items() if a.dtype == np.uint16}
    x = next(a for a in as_float.values() if a.size == 2048).reshape(4, 512)
    want = x / np.sqrt((x.astype(np.float64) ** 2).mean(axis=1, keepdims=True))
    for a in as_float.values():
        if a.size == 512:
            want = want * a
    assert np.abs(values - want).max() <= 0.02 * np.abs(want).max()

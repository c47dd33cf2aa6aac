# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The page's sources are well typed and formatted, and what a browser loads first is small and whole."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

EXPLORER = Path(__file__).parents[2] / "explorer"
FIRST_LOAD_LIMIT = 250_000  # bytes, gzip


@pytest.fixture(scope="module")
def node_path() -> str:
    """PATH with the Node that set-up chose."""
    venv = Path(os.environ.get("LANEWISE_VENV", ".venv")).resolve() / "bin"
    if (venv / "node").exists():
        return f"{venv}:{os.environ['PATH']}"
    assert shutil.which("node"), "no Node; run ./run first"
    return os.environ["PATH"]


def npm(script: str, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["npm", "run", "--silent", script], cwd=EXPLORER, env={**os.environ, "PATH": path},
                          capture_output=True, text=True)


def test_types_and_lint(node_path):
    result = npm("check", node_path)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_first_load_is_small_and_asks_nobody_else():
    page = (EXPLORER / "dist" / "index.html").read_text()
    asked = [a for a in re.findall(r'(?:src|href)="([^"]+)"', page) if not a.startswith("data:")]
    assert asked
    assert not [a for a in asked if re.match(r"[a-z]+:|//|/", a)], "addresses must be relative to the page"
    loaded = sum(len(gzip.compress((EXPLORER / "dist" / a).read_bytes(), 9)) for a in asked)
    assert loaded + len(gzip.compress(page.encode(), 9)) <= FIRST_LOAD_LIMIT

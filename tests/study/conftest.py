# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command once per set of options; several tests read one result."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

LANEWISE = Path(sys.executable).parent / "lanewise"


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """study(*options) -> the JSON object of `lanewise study rmsnorm --json *options`."""

    @functools.cache
    def run(*options: str) -> dict:
        out = tmp_path_factory.mktemp("captures")
        result = subprocess.run([LANEWISE, "study", "rmsnorm", "--json", "--output", out, *options],
                                capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture(scope="session")
def by_name():
    return lambda result: {v["name"]: v for v in result["variants"]}

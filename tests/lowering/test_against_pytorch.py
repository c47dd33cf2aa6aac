# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The lowering table computes what PyTorch computes on the CPU, before and after the passes and on the chip."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from compare import evaluate  # noqa: E402
from composite_calls import composite_cases  # noqa: E402
from record_calls import record  # noqa: E402

ROOT = Path(__file__).parents[2]
PROGRAM = str(ROOT / os.environ.get("LANEWISE_BUILD", "build") / "tools/ir_evaluate")


@pytest.fixture(scope="module")
def cases():
    assert Path(PROGRAM).exists(), f"build the target ir_evaluate first ({PROGRAM} is missing)"
    supported = subprocess.run([PROGRAM, "--list"], capture_output=True, text=True, check=True).stdout.split()
    return record(frozenset(supported), samples_per_op=8) + composite_cases()


@pytest.mark.parametrize("mode", ["lowered", "passes", "compiled"])
def test_same_values(cases, mode):
    outcomes = evaluate(PROGRAM, cases, mode)
    wrong = [o for o in outcomes if o.wrong]
    served = Counter(o.case.name.split(":", 1)[1] for o in outcomes if not o.refused)
    assert len(served) > 300
    # Legal calls may be refused for what is not built, never as wrong.
    assert not [o.refused for o in outcomes if o.refused and not o.refused.startswith("unimplemented: ")]
    assert not wrong, f"{len(wrong)} of {len(outcomes)}\n" + "\n\n".join(f"{o.case.text}\n{o.wrong}" for o in wrong[:20])

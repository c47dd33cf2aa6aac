# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The layer check refuses what it is there to refuse, and the tree passes it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402

TAG = "// SPDX-License-Identifier: Apache-2.0\n"


def tree(tmp_path: Path, arrows: str, files: dict[str, str]) -> list[str]:
    (tmp_path / "ARCHITECTURE.md").write_text(f"```arrows\n{arrows}```\n")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return check_layers.check(tmp_path, list(files))[0]


def test_the_project_keeps_its_arrows():
    result = subprocess.run([sys.executable, ROOT / "tools/check_layers.py"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_arrow_that_is_not_listed_is_named(tmp_path):
    found = tree(tmp_path, "base ->\nsim -> base\ncompiler -> base\n",
                 {"compiler/a.cc": TAG + '#include "sim/b.h"\n', "sim/b.h": TAG})
    assert found == ["compiler/a.cc: compiler may not include sim (sim/b.h)"]


def test_arrows_are_transitive_and_base_is_free(tmp_path):
    assert tree(tmp_path, "base ->\nisa ->\nsim -> isa\ntop -> sim\n",
                {"top/a.cc": TAG + '#include "isa/x.h"\n#include "base/s.h"\n'}) == []


def test_siblings_under_a_star_do_not_know_each_other(tmp_path):
    found = tree(tmp_path, "unit/* ->\n", {"unit/pe/a.cc": TAG + '#include "unit/dma/b.h"\n'})
    assert found == ["unit/pe/a.cc: unit/pe may not include unit/dma (unit/dma/b.h)"]


def test_cycle_is_drawn(tmp_path):
    found = tree(tmp_path, "a -> b\nb -> a\n",
                 {"a/x.cc": TAG + '#include "b/y.h"\n', "b/y.h": TAG + '#include "a/z.h"\n'})
    assert found == ["cycle: a -> b -> a"]


@pytest.mark.parametrize("text,reason", [("int x;\n", "no licence tag"), (TAG + "\n" * 1001, "over 1000")])
def test_tag_and_size(tmp_path, text, reason):
    (finding,) = tree(tmp_path, "a ->\n", {"a/x.cc": text})
    assert reason in finding


TS_ARROWS = "explorer/base ->\nexplorer/engine -> explorer/base\nexplorer/plugins/* -> explorer/engine\n"


@pytest.mark.parametrize("line", ['import { b } from "@/engine/api";', 'import "../engine/api";', 'export * from "../engine";',
                                  'import {\n  type a,\n  b,\n} from "@/engine/api";', 'const b = await import("@/engine/api");'])
def test_typescript_imports_are_held_to_the_arrows(tmp_path, line):
    (finding,) = tree(tmp_path, TS_ARROWS, {"explorer/base/a.ts": TAG + line + "\n", "explorer/engine/api.ts": TAG})
    assert finding.startswith("explorer/base/a.ts: explorer/base may not include explorer/engine")


def test_typescript_plugins_do_not_know_each_other(tmp_path):
    found = tree(tmp_path, TS_ARROWS, {"explorer/plugins/a/index.tsx": TAG + 'import { b } from "@/plugins/b";\n',
                                       "explorer/plugins/b/index.ts": TAG + 'import x from "../../engine/api";\n'})
    assert found == ["explorer/plugins/a/index.tsx: explorer/plugins/a may not include explorer/plugins/b (explorer/plugins/b)"]


def test_typescript_packages_and_own_files_are_free(tmp_path):
    assert tree(tmp_path, TS_ARROWS, {"explorer/plugins/a/index.tsx": TAG + 'import { h } from "preact";\n'
                                      'import { x } from "@/plugins/a/x";\nimport "./a.css";\n'}) == []


def test_typescript_outside_of_every_room_is_named(tmp_path):
    assert tree(tmp_path, TS_ARROWS, {"explorer/odd/a.ts": TAG}) == ["explorer/odd/a.ts: its folder is no room of ARCHITECTURE.md"]

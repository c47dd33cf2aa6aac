# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the code to the arrows of ARCHITECTURE.md.

Checks every C++ and TypeScript file that git tracks (or would track): its includes and imports of ours against the
`arrows` block, the rooms for cycles, the licence tag, and the file size. Prints one line a finding and exits 1, or a summary and exits 0.
"""

from __future__ import annotations

import argparse
import fnmatch
import posixpath
import re
import subprocess
import sys
from pathlib import Path

MAX_LINES = 1000
CPP = {".h", ".cc"}
TS = {".ts", ".tsx"}
TAGGED = CPP | TS | {".py", ".sh"}
# `@/` of a TypeScript import.
TS_ROOT = "explorer"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# `import x from "y"`, `export x from "y"`, `import "y"`, `import("y")`: the names between stand on any number of lines.
IMPORT = re.compile(r'''^\s*(?:import|export)\b[^"';=(]*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']''', re.MULTILINE)


def read_arrows(text: str) -> dict[str, list[str]]:
    """The block as {room: allowed patterns}; raises ValueError on a line it cannot read."""
    block = re.search(r"```arrows\n(.*?)```", text, re.DOTALL)
    if not block:
        raise ValueError("ARCHITECTURE.md has no ```arrows block")
    arrows: dict[str, list[str]] = {}
    for line in block.group(1).splitlines():
        if not line.strip():
            continue
        left, sep, right = line.partition("->")
        if not sep or len(left.split()) != 1:
            raise ValueError(f"cannot read arrow: {line!r}")
        arrows[left.strip()] = right.split()
    return arrows


def room_of(path: str, arrows: dict[str, list[str]]) -> str | None:
    """The most specific room whose folder holds `path`."""
    parts = path.split("/")[:-1]
    for n in range(len(parts), 0, -1):
        folder = "/".join(parts[:n])
        if any(fnmatch.fnmatchcase(folder, room) and folder.count("/") == room.count("/") for room in arrows):
            return folder
    return None


def row(room: str, arrows: dict[str, list[str]]) -> list[str]:
    return arrows[room] if room in arrows else next(v for k, v in arrows.items() if fnmatch.fnmatchcase(room, k))


def may_include(room: str, target: str, arrows: dict[str, list[str]]) -> bool:
    """Whether the arrows lead from `room` to `target`, directly or through others."""
    if room == target or target == "base":
        return True
    seen, stack = set(), list(row(room, arrows))
    while stack:
        pattern = stack.pop()
        if pattern in seen:
            continue
        seen.add(pattern)
        if pattern == "*" or fnmatch.fnmatchcase(target, pattern):
            return True
        stack.extend(arrows.get(pattern, []))
    return False


def targets_of(name: str, text: str) -> list[str]:
    """What a file includes or imports, as paths from the root where they are ours."""
    if not name.endswith(tuple(TS)):
        return INCLUDE.findall(text)
    targets = []
    for static, dynamic in IMPORT.findall(text):
        target = static or dynamic
        if target.startswith("@/"):
            targets.append(f"{TS_ROOT}/{target[2:]}")
        elif target.startswith("."):
            targets.append(posixpath.normpath(posixpath.join(posixpath.dirname(name), target)))
    return targets


def find_cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Each cycle between rooms once, as the list of rooms on it."""
    cycles, done = [], set()

    def visit(node: str, path: list[str]) -> None:
        if node in path:
            cycles.append(path[path.index(node):] + [node])
            return
        if node in done:
            return
        for nxt in sorted(edges.get(node, ())):
            visit(nxt, path + [node])
        done.add(node)

    for start in sorted(edges):
        visit(start, [])
    return cycles


def check(root: Path, files: list[str]) -> tuple[list[str], int]:
    """Findings and the number of includes looked at."""
    arrows = read_arrows((root / "ARCHITECTURE.md").read_text())
    findings: list[str] = []
    edges: dict[str, set[str]] = {}
    includes = 0
    for name in files:
        path = root / name
        if path.suffix not in TAGGED or not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:3]):
            findings.append(f"{name}: no licence tag in the first lines")
        lines = text.count("\n")
        if lines > MAX_LINES:
            findings.append(f"{name}: {lines} lines, over {MAX_LINES}: look for the seam")
        if path.suffix not in CPP | TS:
            continue
        room = room_of(name, arrows)
        if room is None:
            findings.append(f"{name}: its folder is no room of ARCHITECTURE.md")
            continue
        for target in targets_of(name, text):
            # A TypeScript import may name a folder (its index) or a file without its ending.
            other = room_of(f"{target}/" if path.suffix in TS else target, arrows)
            if other is None:
                continue
            includes += 1
            if not may_include(room, other, arrows):
                findings.append(f"{name}: {room} may not include {other} ({target})")
            elif other != room and not name.endswith(("_test.cc", ".test.ts", ".test.tsx")):
                edges.setdefault(room, set()).add(other)
    findings += ["cycle: " + " -> ".join(cycle) for cycle in find_cycles(edges)]
    return findings, includes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout.splitlines()
    findings, includes = check(root, listed)
    for finding in findings:
        print(finding)
    if not findings:
        print(f"layers hold: {includes} includes and imports of ours")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

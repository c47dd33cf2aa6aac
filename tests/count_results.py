# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit files and prints the closing line `N passed, N failed[, N skipped]`; exits 1 on a failure."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def count(path: Path) -> tuple[int, int, int]:
    """(passed, failed, skipped) of one JUnit file; a file that is missing or broken counts as one failure."""
    try:
        cases = list(ET.parse(path).getroot().iter("testcase"))
    except (OSError, ET.ParseError) as error:
        print(f"no results in {path}: {error}", file=sys.stderr)
        return 0, 1, 0
    failed = sum(1 for c in cases if c.find("failure") is not None or c.find("error") is not None)
    skipped = sum(1 for c in cases if c.find("skipped") is not None)
    return len(cases) - failed - skipped, failed, skipped


def main(paths: list[str]) -> int:
    passed, failed, skipped = (sum(column) for column in zip(*(count(Path(p)) for p in paths), strict=True))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

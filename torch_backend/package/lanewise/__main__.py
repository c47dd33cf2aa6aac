# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m lanewise``: the command ``lanewise`` of this environment."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path


def main() -> int:
    """Becomes the command; returns only when that is not there."""
    for folder in dict.fromkeys((sysconfig.get_path("scripts"), str(Path(sys.executable).parent))):
        command = Path(folder) / "lanewise"
        if command.is_file() and os.access(command, os.X_OK):
            os.execv(command, ["lanewise", *sys.argv[1:]])
    print("lanewise: the command is not installed beside this Python; install the package again (./run --no-open)", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Terminal text on stdin to an SVG picture on stdout:  lanewise study rmsnorm | python docs/text_to_svg.py > docs/study.svg"""

import sys
from xml.sax.saxutils import escape

CHAR, LINE, MARGIN = 6.02, 14, 14
HIGHLIGHT = ("aten::mul ", "aten::add ", "aten::rsqrt ", "aten::mean ", "aten::_fused_rms_norm ", "Torch-Compiled Region", "eager ", "fused ", "compiled ")


def main() -> None:
    lines = [line.rstrip() for line in sys.stdin if not line.startswith("capture:")]
    while lines and not lines[0]:
        lines.pop(0)
    width = MARGIN * 2 + CHAR * max(map(len, lines))
    height = MARGIN * 2 + LINE * len(lines)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">')
    print('<rect width="100%" height="100%" rx="6" fill="#14181f"/>')
    print(f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="10" fill="#c9d1d9">')
    for i, line in enumerate(lines):
        if not line:
            continue
        colour = ' fill="#ffd479"' if line.lstrip().startswith(HIGHLIGHT) else ""
        title = ' fill="#7fd1b9" font-weight="bold"' if line in TITLES else colour
        # Browsers no longer keep runs of spaces (xml:space); no-break spaces they do.
        print(f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 0.8):.1f}"{title} textLength="{CHAR * len(line):.1f}" lengthAdjust="spacing">{escape(line).replace(" ", chr(0xA0))}</text>')
    print("</g></svg>")


TITLES = {"Separate PyTorch operations (eager)", "torch.rms_norm", 'The first function under torch.compile(backend="neuron")'}

if __name__ == "__main__":
    main()

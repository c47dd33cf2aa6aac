# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""What the numbers of the machine file are worth on a capture they were not fitted to.

    python bench/holdout.py [--command build/tools/lanewise] [--captures ../shared/hardware] [--rounds 2] [--markdown]

For every capture of the folder: the keys below are fitted on the others and the errors on it are printed, beside those with
the machine file as it is (fitted on all of them). A fit is coordinate descent: each key in turn takes the value of its list
with the least cost, until a round changes nothing. It does not begin at the machine file, which knows the capture held out,
but at the middle of each list. The cost of a capture is the MAE of each fitted kind in percent (DMA_START counts 0.6, it has
few samples) and the error of the whole kernel beyond 2 %, each percent of it 1.5 times, beyond 7 % 6.5 times.

Measured is `lanewise validate --machine trn2,key=value --json`. A kind in whose unit nothing was fitted is not printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = {"DMA_OCCUPANCY": 1.0, "DMA_LATENCY": 1.0, "DMA_START": 0.6, "DMA_TRIGGER": 1.0,
         "LDWEIGHTS": 1.0, "MATMUL throttled": 1.0, "MATMUL warm": 1.0}
KEYS = {
    "dma.page_ps": [0, 3000, 5000, 6000, 7000, 8000, 10000],
    "dma.page_latency_ps": [0, 50000, 100000, 200000],
    "dma.scattered_read_bytes": [0, 400, 800, 1200, 1500, 2000],
    "dma.write_run_cycles": [0, 1, 2, 3],
    "dma.write_ahead_ps": [20000, 60000, 100000, 140000],
    "dma.write_latency_ps": [216000, 232000, 240000, 248000, 264000],
    "dma.semaphore_write_ps": [168000, 184000, 192000, 200000, 208000, 224000],
    "dma.semaphore_busy_ps": [0, 20000, 26000, 33000, 40000, 50000],
    "dma.hbm_write_ps": [0, 10000, 22000, 35000],
    "dma.first_fetch_ps": [0, 15000, 30000, 45000, 60000],
    "dma.later_start_less_ps": [42000, 26000, 10000, 0],
    "dma.io_trigger_ps": [0, 10000, 19000, 28000],
    "dma.first_trigger_ps": [0, 16000, 31700, 48000],
    "pe.load_pipeline_ps": [76000, 80000, 84000, 88000],
    "pe.load_ahead_ps": [20000, 40000, 60000],
    "pe.load_to_columns_ps": [30000, 38000, 46000],
    "pe.columns_latency_ps": [20000, 28000, 36000],
}


class Model:
    """Answers of `lanewise validate`, each asked once."""

    def __init__(self, command: str, pairs: list[Path]) -> None:
        self.command, self.pairs, self.known = command, pairs, {}

    def errors(self, pair: Path, numbers: dict[str, int]) -> dict[str, float]:
        spec = "trn2" + "".join(f",{key}={value}" for key, value in sorted(numbers.items()))
        if (pair, spec) not in self.known:
            done = subprocess.run([self.command, "validate", str(pair), str(pair.with_suffix(".ntff")), "--machine", spec, "--json"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{self.command} validate --machine {spec} failed on {pair.name}: {done.stderr.strip()}")
            kernel = json.loads(done.stdout)["kernels"][0]
            answer = {k["kind"]: k["mae_pct"] for k in kernel["kinds"] if k["kind"] in KINDS}
            answer["kernel"] = 100 * kernel["error"]
            self.known[pair, spec] = answer
        return self.known[pair, spec]

    def cost(self, pairs: list[Path], numbers: dict[str, int]) -> float:
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda pair: self.errors(pair, numbers), pairs))
        total = 0.0
        for answer in answers:
            off = abs(answer["kernel"])
            total += sum(weight * answer[kind] for kind, weight in KINDS.items() if kind in answer)
            total += 1.5 * max(0, off - 2) + 5 * max(0, off - 7)
        return total

    def fit(self, pairs: list[Path], rounds: int) -> dict[str, int]:
        numbers = {key: values[len(values) // 2] for key, values in KEYS.items()}
        best = self.cost(pairs, numbers)
        for _ in range(rounds):
            before = best
            for key, values in KEYS.items():
                for value in values:
                    tried = {**numbers, key: value}
                    cost = self.cost(pairs, tried)
                    if cost < best:
                        best, numbers = cost, tried
            if best == before:
                break
        return numbers


def table(rows: list[tuple[str, dict[str, float], dict[str, float]]]) -> str:
    heads = ["kernel", *KINDS]
    out = ["| Held out | Numbers | " + " | ".join(heads) + " |", "|---|---|" + "---|" * len(heads)]
    for name, held, shipped in rows:
        for label, errors in (("fitted on the others", held), ("machine file", shipped)):
            cells = [f"{errors[h]:+.1f}" if h == "kernel" else f"{errors[h]:.1f}" if h in errors else "" for h in heads]
            out.append(f"| {name} | {label} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=str(ROOT / "build/tools/lanewise"))
    parser.add_argument("--captures", type=Path, default=ROOT.parent / "shared/hardware")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--markdown", action="store_true", help="the page docs/fidelity_holdout.md")
    arguments = parser.parse_args()
    pairs = sorted(p for p in arguments.captures.glob("*.neff") if p.with_suffix(".ntff").exists())
    if len(pairs) < 2:
        sys.exit(f"{arguments.captures} holds {len(pairs)} pair(s) of NEFF and NTFF; holding one out needs two or more")
    model = Model(arguments.command, pairs)
    rows, chosen = [], {}
    for held in pairs:
        numbers = model.fit([p for p in pairs if p != held], arguments.rounds)
        chosen[held.stem] = numbers
        rows.append((held.stem, model.errors(held, numbers), model.errors(held, {})))
        print(f"{held.stem}: {len(model.known)} runs so far", file=sys.stderr)
    if arguments.markdown:
        print("# Captures held out\n\nMade by `python bench/holdout.py --markdown`; not edited by hand. Each capture with the numbers below fitted on the other captures only,\n"
              "and with the machine file as it is. Kernel: signed error in percent; kinds: MAE in percent (`docs/fidelity.md`).\n")
    print(table(rows))
    if arguments.markdown:
        print("\n## Numbers of each fit\n\n| Key | " + " | ".join(chosen) + " |\n|---|" + "---|" * len(chosen))
        for key in KEYS:
            print(f"| `{key}` | " + " | ".join(str(numbers[key]) for numbers in chosen.values()) + " |")
        print("\nStructure (what waits for what) was found with all captures in view; only its numbers are held out here.")


if __name__ == "__main__":
    main()

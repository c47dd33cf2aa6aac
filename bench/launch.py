# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Host cost of one eager launch, beside a CPU `add` of the same shape, the host fallback, and a miss.

    python bench/launch.py

Reach (design section 8): launch <= 2 x CPU add; miss (lower, emit, time) median <= 2 ms.
"""

import os
import statistics
import time

os.environ.setdefault("LANEWISE_PACING", "off")

import torch  # noqa: E402
from timing import interleaved, thread_ns  # noqa: E402

LAUNCHES = 500


def drained(function):
    """Measures a burst and lets the device catch up outside the measurement, so that no full queue is in it."""

    def measure() -> float:
        value = thread_ns(function, LAUNCHES)
        torch.neuron.synchronize()
        return value

    return measure


def miss_costs(count: int = 60) -> list[float]:
    """Wall ms of first calls with a new shape each, the launch included."""
    costs = []
    for n in range(count):
        x = torch.ones(3, 1000 + n, device="neuron")
        torch.neuron.synchronize()
        start = time.perf_counter_ns()
        torch.add(x, x)
        costs.append((time.perf_counter_ns() - start) / 1e6)
        torch.neuron.synchronize()
    return costs


@torch.no_grad()
def main() -> None:
    torch.set_num_threads(1)
    a, b = torch.randn(4, 512), torch.randn(4, 512)
    x, y = a.to("neuron"), b.to("neuron")
    median = interleaved({
        "CPU add": lambda: thread_ns(lambda: torch.add(a, b), LAUNCHES),
        "neuron add": drained(lambda: torch.add(x, y)),
        "neuron add, Python scalar": drained(lambda: torch.add(x, 1.5)),
        "neuron mul, broadcast": drained(lambda: torch.mul(x, y[0])),
        "neuron rsqrt": drained(lambda: torch.rsqrt(x)),
    })
    base = median["CPU add"]
    for name, value in median.items():
        print(f"{name:28} {value:9.0f} ns  {value / base:6.2f} x CPU add")
    fallback = thread_ns(lambda: torch.cumprod(x, 0), 50)
    print(f"{'host fallback (cumprod)':28} {fallback:9.0f} ns  {fallback / base:6.2f} x CPU add")
    misses = miss_costs()
    print(f"miss: median {statistics.median(misses):.2f} ms, max {max(misses):.2f} ms over {len(misses)} new shapes")


if __name__ == "__main__":
    main()

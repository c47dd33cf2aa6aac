# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""How much slower the simulator computes values than PyTorch on the CPU: matmul-heavy fp32 models, one thread.

    python bench/values.py

Reach (design section 8): <= 3 x.
"""

import os

os.environ.setdefault("LANEWISE_PACING", "off")

import torch  # noqa: E402
from timing import interleaved, wall_ns  # noqa: E402


def models() -> dict:
    """Name -> (function of a device that returns a step on it)."""
    torch.manual_seed(0)
    mlp = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024))
    block = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0, norm_first=True).eval()
    x, tokens = torch.randn(256, 1024), torch.randn(4, 128, 512)

    def on(module, data):
        def make(device):
            import copy

            moved, inputs = copy.deepcopy(module).to(device), data.to(device)
            return lambda: moved(inputs)
        return make

    return {"mlp 1024-4096-1024, batch 256": on(mlp, x), "transformer layer 512, 4x128 tokens": on(block, tokens),
            "mm 1024": lambda device: (lambda a=torch.ones(1024, 1024, device=device): torch.mm(a, a))}


@torch.no_grad()
def main() -> None:
    torch.set_num_threads(1)
    for name, make in models().items():
        cpu, neuron = make("cpu"), make("neuron")

        def on_neuron(step=neuron):
            step()
            torch.neuron.synchronize()

        median = interleaved({"cpu": lambda: wall_ns(cpu, 3), "neuron": lambda: wall_ns(on_neuron, 3)}, rounds=5)
        print(f"{name:40} cpu {median['cpu'] / 1e6:8.2f} ms  neuron {median['neuron'] / 1e6:8.2f} ms  "
              f"{median['neuron'] / median['cpu']:5.2f} x")


if __name__ == "__main__":
    main()

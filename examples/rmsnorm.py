# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""One RMSNorm written three ways, profiled with the same settings, on device `neuron`.

    python examples/rmsnorm.py

prints one table a variant. `lanewise study rmsnorm` runs the same functions and compares them.
"""

from pathlib import Path

import torch
from torch.nn.functional import rms_norm
from torch.profiler import ProfilerActivity, profile, schedule

from torch_neuronx.profiling import NeuronConfig, NeuronProfiler, ProfileMode

DEVICE = "neuron"


def separate(x: torch.Tensor, weight: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    """RMSNorm as six PyTorch operations. `eps` starts on the CPU: adding it is a host-to-device copy."""
    mean_square = (x * x).mean(-1, keepdim=True)
    return x * torch.rsqrt(mean_square + eps) * weight


def fused(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """RMSNorm as one PyTorch operation."""
    return rms_norm(x, x.shape[-1:], weight, eps)


def make_inputs(shape=(4, 512), dtype=torch.bfloat16, seed=0) -> tuple[torch.Tensor, torch.Tensor]:
    """(x, weight) on the device, the same for every variant."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(shape, generator=generator).to(dtype)
    weight = (1 + 0.1 * torch.randn(shape[-1:], generator=generator)).to(dtype)
    return x.to(DEVICE), weight.to(DEVICE)


def make_variants(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> dict:
    """Name -> function of no arguments that runs the variant once."""
    eps_on_cpu = torch.tensor(eps)
    compiled = torch.compile(separate, backend="neuron")
    return {
        "eager": lambda: separate(x, weight, eps_on_cpu),
        "fused": lambda: fused(x, weight, eps),
        "compiled": lambda: compiled(x, weight, eps_on_cpu),
    }


@torch.no_grad()
def profile_variant(step, output_dir, modes=(ProfileMode.DEVICE, ProfileMode.RUNTIME)):
    """Profiles one recorded iteration of `step`. Returns the profile and the folder of its capture."""
    config = NeuronConfig(modes=list(modes), profile_output_dir=str(output_dir))
    exporter = NeuronProfiler(config)
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1],
        schedule=schedule(wait=2, warmup=1, active=1),
        on_trace_ready=exporter.export_trace,
        experimental_config=config,
        with_stack=True,
    ) as prof:
        for _ in range(4):
            step()
            torch.neuron.synchronize()
            prof.step()
    return prof, Path(config.get_session_dir())


def main() -> None:
    for name, step in make_variants(*make_inputs()).items():
        prof, folder = profile_variant(step, Path("output") / name)
        print(f"{name}: {folder}")
        print(prof.key_averages().table(sort_by="self_privateuse1_time_total", row_limit=12))


if __name__ == "__main__":
    main()

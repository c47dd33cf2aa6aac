# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Profiling of the neuron device through ``torch.profiler``."""

from lanewise.profiling.config import NeuronConfig, ProfileMode
from lanewise.profiling.profiler import NeuronProfiler

__all__ = ["NeuronConfig", "NeuronProfiler", "ProfileMode"]

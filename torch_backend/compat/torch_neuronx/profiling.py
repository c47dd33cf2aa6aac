# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""``from torch_neuronx.profiling import NeuronConfig, ProfileMode, NeuronProfiler``."""

from lanewise.profiling import NeuronConfig, NeuronProfiler, ProfileMode

__all__ = ["NeuronConfig", "NeuronProfiler", "ProfileMode"]

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Random number generators, one per device; ``torch.manual_seed`` seeds them too."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from lanewise import _C
from lanewise.neuron._index import device_index

_generators: dict[int, torch.Generator] = {}


def _generator(device=None) -> torch.Generator:
    index = device_index(device)
    if index not in _generators:
        _generators[index] = _C.default_generator(index)
    return _generators[index]


def default_generators() -> tuple[torch.Generator, ...]:
    return tuple(_generator(i) for i in range(_C.device_count()))


def get_rng_state(device=None) -> torch.Tensor:
    return _generator(device).get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    return [generator.get_state() for generator in default_generators()]


def set_rng_state(new_state: torch.Tensor, device=None) -> None:
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Of the current device."""
    _generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    for generator in default_generators():
        generator.manual_seed(int(seed))


def seed() -> int:
    return _generator().seed()


def seed_all() -> None:
    first, *others = default_generators()
    value = first.seed()
    for generator in others:
        generator.manual_seed(value)


def initial_seed() -> int:
    return _generator().initial_seed()

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a bare ``torch.compile(f)`` reach our backend for graphs on neuron, without importing Dynamo for it.

PyTorch has a setting for the default backend, in a module that takes many seconds to import. So the setting is made
when PyTorch imports that module by itself, at the first ``torch.compile``.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys

_REGISTRY = "torch._dynamo.backends.registry"


def install() -> None:
    """At import of lanewise; a second call changes nothing."""
    if _REGISTRY in sys.modules:
        _set_default(sys.modules[_REGISTRY])
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher(importlib.abc.MetaPathFinder):
    """Sees the registry being imported, once, and has it imported as ever."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != _REGISTRY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            _set_default(module)

        spec.loader.exec_module = exec_module
        return spec


def _set_default(registry) -> None:
    set_default = getattr(registry, "set_default_backend", None)  # PyTorch 2.15 and later
    # Who has chosen another default keeps it.
    if set_default is not None and registry.get_default_backend() == "inductor":
        set_default(_default)


def _default(gm, example_inputs, **options):
    from lanewise.dynamo_backend import neuron_or_inductor

    return neuron_or_inductor(gm, example_inputs, **options)


_default.__name__ = "neuron_or_inductor"


def refuse_inductor() -> None:
    """PyTorch calls this (``torch.neuron._inductor_backend_init``) before Inductor makes code for any device."""
    from torch._inductor.codegen.common import register_backend_for_device

    register_backend_for_device("neuron", _Refused, _Refused)


class _Refused:
    """Stands where Inductor looks for code generators of neuron."""

    supports_caching = False

    def __init__(self, *_, **__):
        raise RuntimeError('Inductor makes no code for neuron; use torch.compile(f, backend="neuron")')

    create = __init__

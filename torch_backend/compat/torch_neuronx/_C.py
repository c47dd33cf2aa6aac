# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""The private names that scripts probe."""

from lanewise._C import clear_program_cache as _clear_compilation_cache
from lanewise._C import program_cache_stats as _get_compilation_cache_stats

__all__ = ["_clear_compilation_cache", "_get_compilation_cache_stats"]

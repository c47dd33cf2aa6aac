# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of compiled graphs."""

from lanewise.compile_metrics import get_dynamo_metrics, reset_dynamo_metrics, set_model_name

__all__ = ["get_dynamo_metrics", "reset_dynamo_metrics", "set_model_name"]

# SPDX-FileCopyrightText: The Lanewise authors
# SPDX-License-Identifier: Apache-2.0
"""Studies: a question about a model, measured the same way for each variant and answered in a table and a few sentences."""

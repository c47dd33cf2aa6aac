// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests only: the DOM they run in lays nothing out, and a window of no height holds no rows. Here every element is 600
// pixels high.
Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, get: () => 600 });

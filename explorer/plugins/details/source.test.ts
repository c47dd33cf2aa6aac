// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { callerOf } from "./source";

const frame = (file: string | null, line: number | null = 1) => ({ name: "f", file, line });

it("shows the user's own line, not that of a library or of the interpreter", () => {
  expect(callerOf([frame("torch/nn/modules/module.py"), frame("train.py"), frame("<frozen runpy>")])).toBe(1);
  expect(callerOf([frame("/x/site-packages/torch/_ops.py"), frame("lanewise/examples/rmsnorm.py")])).toBe(1);
  expect(callerOf([frame(null, null), frame("lanewise/study/rmsnorm.py"), frame("<frozen runpy>")])).toBe(1);
  expect(callerOf([frame("torchvision_like/model.py"), frame("torch/a.py")])).toBe(0);
  expect(callerOf([])).toBe(-1);
});

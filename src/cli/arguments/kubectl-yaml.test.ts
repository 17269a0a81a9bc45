import { expect, it } from "vitest";

import { kubectlDocuments } from "./kubectl-yaml.ts";

it.each([
  ["On", true],
  ["off", false],
  ["no", false],
  ["y", true],
  ['"On"', "On"],
  ["0755", 493],
  ["0o755", "0o755"],
  ["12:30", "12:30"],
  ["2026-11-28", "2026-11-28"],
  ["2026-11-28T12:00:00Z", "2026-11-28T12:00:00Z"],
  ["3", 3],
  ["-0.5", -0.5],
  ["Enabled", "Enabled"],
])("reads %s as kubectl does", (text, value) => {
  expect(kubectlDocuments(`value: ${text}\n`).map((document) => document.toJS() as unknown)).toEqual([{ value }]);
});

it("reads several documents, and says what is wrong with one", () => {
  const [first, second] = kubectlDocuments("a: 1\n---\nb: [\n");
  expect([first?.toJS(), first?.errors.length, second?.errors.length]).toEqual([{ a: 1 }, 0, 1]);
  expect(kubectlDocuments("")).toEqual([]);
});

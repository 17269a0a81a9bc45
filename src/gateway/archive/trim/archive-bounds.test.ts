import { expect, it } from "vitest";

import { archiveBoundsOf } from "./archive-bounds.ts";

const gib = 1_024 ** 3;

it.each([
  { name: "four fifths of a volume, and half of that", budgets: {}, volume: 10 * gib, want: [4 * gib, 8 * gib] },
  { name: "whole bytes", budgets: {}, volume: 14, want: [5, 11] },
  { name: "8 GiB of a server, and no bound for all", budgets: {}, volume: undefined, want: [8 * gib, Infinity] },
  { name: "8 GiB of a large volume", budgets: {}, volume: 100 * gib, want: [8 * gib, 80 * gib] },
  { name: "half of all that is given", budgets: { total: 4 * gib }, volume: 10 * gib, want: [2 * gib, 4 * gib] },
  { name: "what is given", budgets: { namespace: 9 * gib, total: 9 }, volume: 10 * gib, want: [9 * gib, 9] },
  { name: "nothing where nothing is given", budgets: { namespace: 0, total: 0 }, volume: 10 * gib, want: [0, 0] },
])("$name", ({ budgets, volume, want: [namespace, total] }) => {
  expect(archiveBoundsOf(budgets, volume)).toEqual({ namespace, total });
});

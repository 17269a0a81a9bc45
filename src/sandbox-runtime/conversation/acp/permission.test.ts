import { expect, it } from "vitest";
import { answerPermission } from "./permission.ts";

const all = ["reject_always", "reject_once", "allow_always", "allow_once"].map((kind) => ({
  optionId: `id ${kind}`,
  kind,
}));
const only = (kind: string): typeof all => all.filter((option) => option.kind === kind);

it.each([
  { name: "allows once", options: all, policy: "Allow", want: "id allow_once" },
  {
    name: "allows for good where that is all there is",
    options: only("allow_always"),
    policy: "Allow",
    want: "id allow_always",
  },
  { name: "rejects once", options: all, policy: "Reject", want: "id reject_once" },
  {
    name: "rejects for good where that is all there is",
    options: only("reject_always"),
    policy: "Reject",
    want: "id reject_always",
  },
] as const)("$name", ({ options, policy, want }) => {
  expect(answerPermission(options, policy)).toEqual({ outcome: "selected", optionId: want });
});

it.each([
  { name: "no option", options: [], policy: "Allow" },
  { name: "no option that allows", options: only("reject_once"), policy: "Allow" },
  { name: "no option that rejects", options: only("allow_once"), policy: "Reject" },
  { name: "options of an unknown kind", options: [{ optionId: "x", kind: "maybe" }], policy: "Allow" },
] as const)("cancels with $name", ({ options, policy }) => {
  expect(answerPermission(options, policy)).toEqual({ outcome: "cancelled" });
});

import { expect, it } from "vitest";
import { SkillSelection, SkillSpec } from "../../api/v1alpha1/skill.ts";
import { applies } from "./applies.ts";

const skill = (name: string, appliesTo: object, more: object = {}) => ({
  metadata: { name },
  spec: SkillSpec.parse({ description: "d", appliesTo, ...more }),
});

/** Those of product 03 2.8. */
const skills = [
  skill("g", { all: true }),
  skill("w", { repositories: ["web"] }),
  skill("e", { environments: ["env-1"] }),
  skill("x", {}),
  skill("d", { all: true }, { suspend: true }),
];
const env1 = { repositories: ["web", "api"], environment: "env-1" };

it.each([
  { name: "1: no target", target: { repositories: [] }, want: "g" },
  { name: "2: a Repository that one names", target: { repositories: ["web"] }, want: "g w" },
  { name: "4: another Repository", target: { repositories: ["api"] }, want: "g" },
  { name: "5: an Environment, through its member too", target: env1, want: "g w e" },
  { name: "6: the same Repositories without it", target: { repositories: ["web", "api"] }, want: "g w" },
  { name: "7: none are wanted", target: env1, selection: { mode: "None" }, want: "" },
  {
    name: "8: names narrow and never widen",
    target: { repositories: ["web"] },
    selection: { mode: "Names", names: ["w", "e", "x", "d"] },
    want: "w",
  },
  { name: "13: the Environment's list as it is now", target: { ...env1, repositories: ["api"] }, want: "g e" },
  { name: "names of none", target: env1, selection: { mode: "Names", names: [] }, want: "" },
])("$name", ({ target, selection = {}, want }) => {
  const found = skills.filter((one) => applies(one, target, SkillSelection.parse(selection)));
  expect(found.map(({ metadata }) => metadata.name).join(" ")).toBe(want);
});

it("a skill that is being deleted applies nowhere", () => {
  const going = { ...skills[0]!, metadata: { name: "g", deletionTimestamp: "2026-05-04T10:00:00Z" } };
  expect(applies(going, env1, { mode: "All" })).toBe(false);
});

it("a skill that three assignments name is there once", () => {
  const all = [skill("g", { all: true, repositories: ["web", "api"], environments: ["env-1"] })];
  expect(all.filter((one) => applies(one, env1, SkillSelection.parse({})))).toHaveLength(1);
});

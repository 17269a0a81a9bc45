import { expect, it } from "vitest";

import { type Skill, SkillSpec } from "../../../api/v1alpha1/skill.ts";
import { readSkills } from "./read.ts";

const skill = (name: string, appliesTo: object): Skill => ({
  metadata: { name, namespace: "demo" },
  spec: SkillSpec.parse({ description: "d", appliesTo }),
});

/** Reads for a session on the Repository web. */
function read(skills: readonly Skill[], spec: object = {}): ReturnType<typeof readSkills> {
  // It asks the API server for nothing else, such as what an account may do.
  const client = {
    list: () => Promise.resolve({ items: [...skills], resourceVersion: "1" }),
    find: () => Promise.resolve(undefined),
  };
  const owner = { metadata: { namespace: "demo" }, spec: { target: {}, ...spec }, skills: { isFixed: false } };
  return readSkills(client as never, owner as never, ["web"]);
}

it("a session gets the Skills that apply to it, whatever its account may read", async () => {
  const skills = [
    skill("all", { all: true }),
    skill("web", { repositories: ["web"] }),
    skill("api", { repositories: ["api"] }),
  ];
  expect(await read(skills)).toMatchObject({ ok: true, value: { fixed: { names: ["all", "web"] } } });
});

it("names choose among those that apply alone, so that a session cannot ask for others", async () => {
  const skills = [skill("web", { all: true }), skill("api", { repositories: ["api"] }), skill("none", {})];
  const chosen = { mode: "Names", names: ["web", "api", "none"] };
  expect(await read(skills, { skills: chosen })).toMatchObject({ ok: true, value: { fixed: { names: ["web"] } } });
});

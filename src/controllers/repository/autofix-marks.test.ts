import { expect, it } from "vitest";

import { aRepository } from "../../../test/support/builders.ts";
import type { Autofix, Integration } from "../../api/v1alpha1/index.ts";
import { autofixMarks } from "./autofix-marks.ts";
import { decideRepository } from "./decide.ts";

const on: Autofix = { mode: "Enabled" };

function serving(...names: string[]): Integration {
  return { spec: { type: "GitHub", github: { repositories: names.map((name) => ({ name })) } } } as Integration;
}

const slack = { spec: { type: "Slack", slack: { repositories: [{ name: "api" }] } } } as Integration;

it.each<{ name: string; autofix?: Autofix; integrations: Integration[]; want: boolean }>([
  { name: "on, and one serves it", autofix: on, integrations: [serving("web"), serving("web", "api")], want: false },
  { name: "on, and none is there", autofix: on, integrations: [], want: true },
  { name: "on, and one serves others", autofix: on, integrations: [serving("web")], want: true },
  { name: "on, and one of another provider has it", autofix: on, integrations: [slack], want: true },
  { name: "off", autofix: { mode: "Disabled" }, integrations: [], want: false },
  { name: "left to the Integration", autofix: { reviews: "Disabled" }, integrations: [], want: false },
  { name: "left out", integrations: [], want: false },
])("a Repository whose autofix is $name is warned of: $want", ({ autofix, integrations, want }) => {
  const marks = autofixMarks(
    aRepository("api", { spec: { url: "https://github.com/acme/api", autofix } }),
    integrations,
  );
  const reasons = marks.map(({ type, reason }) => `${type} ${reason}`);
  expect(reasons).toEqual(want ? ["AutofixSilent RepositoryNotServed"] : []);
});

it("the warning says what to do, and goes once an Integration serves the Repository", () => {
  const secrets = { credential: undefined, ca: undefined, appKey: undefined, scope: undefined };
  const conditionsOf = (object: ReturnType<typeof aRepository>, integrations: Integration[]) =>
    decideRepository({ object, secrets, classes: [], skills: [], integrations }, new Date(0), {
      operator: {},
      github: { apiURLs: [] },
    }).effects[0]?.status.conditions ?? [];
  const repository = aRepository("api", { spec: { url: "https://github.com/acme/api", autofix: on } });
  const warned = conditionsOf(repository, []);
  expect(warned).toMatchObject([
    { type: "AutofixSilent", message: expect.stringContaining("Add it to github.repositories") as string },
    { type: "Ready", status: "True" },
  ]);
  const served = conditionsOf({ ...repository, status: { conditions: warned } }, [serving("api")]);
  expect(served.map(({ type }) => type)).toEqual(["Ready"]);
});

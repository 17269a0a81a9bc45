import { beforeAll, describe, expect, it } from "vitest";

import { annotations, apiVersion, Prompt, Run } from "../../../src/api/v1alpha1/index.ts";
import { permissions } from "../../../src/controllers/permissions.ts";
import { makeNamespace } from "../../support/cluster.ts";
import { create } from "./objects.ts";
import { collectionPath } from "./paths.ts";
import { grant, processes, refusal, sendAs, tryToCreate } from "./users.ts";

/** May write Runs and Prompts, as the role `edit` may. */
const editor = "mallory";
/** May create sandboxes besides, as a cluster's administrator who restores a backup. */
const restorer = "grace";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("origins");
  const rules = [{ apiGroups: ["runwright.dev"], resources: ["runs", "prompts"], verbs: ["create", "patch"] }];
  const sandboxes = permissions
    .filter(({ resources }) => resources.includes("sandboxes"))
    .map(({ apiGroups, resources, verbs }) => ({
      apiGroups: [...apiGroups],
      resources: [...resources],
      verbs: [...verbs],
    }));
  await Promise.all([grant(namespace, editor, rules), grant(namespace, restorer, [...rules, ...sandboxes])]);
});

const spec = {
  runs: { automationRef: { name: "fix" }, trigger: { type: "Manual" } },
  prompts: { sessionRef: { name: "work" }, text: "Do it." },
};
const kindOf = { runs: Run, prompts: Prompt };
const asked = (by: string): Record<string, string> => ({ [annotations.requestedBy]: by });
const copy = { [annotations.skipped]: "{}" };

const wrongName = `metadata.annotations: ${annotations.requestedBy} may name ${editor}`;
const wrongCopy = `metadata.annotations: the controller alone sets ${annotations.skipped}`;

describe.each(["runs", "prompts"] as const)("of %s", (plural) => {
  const tried = (user: string, noted: Record<string, string>) =>
    tryToCreate(user, kindOf[plural], namespace, {
      metadata: { name: "tried", annotations: noted },
      spec: spec[plural],
    });

  it.each([
    { name: "another who asked", noted: asked("ada"), says: wrongName },
    { name: "nobody who asked", noted: asked(""), says: wrongName },
    { name: "what a copy of a skipped Run has", noted: copy, says: wrongCopy },
  ])("an editor makes none with $name, and who restores a backup does", async ({ noted, says }) => {
    expect(await tried(editor, noted)).toMatchObject(refusal(says));
    expect(await tried(restorer, noted)).toMatchObject({ status: 201 });
  });

  it.each([
    { name: "itself", noted: asked(editor) },
    { name: "no origin", noted: { "example.com/team": "shop", [annotations.whilePaused]: "true" } },
  ])("an editor makes one with $name", async ({ noted }) => {
    expect(await tried(editor, noted)).toMatchObject({ status: 201 });
  });

  it.each([
    { name: "names another who asked", change: asked("ada"), says: wrongName },
    { name: "names nobody any more", change: { [annotations.requestedBy]: null }, says: wrongName },
    { name: "makes it a copy of a skipped one", change: copy, says: wrongCopy },
    { name: "has nothing to do with origins", change: { "example.com/team": "shop" }, says: undefined },
  ])("an editor's change of one that is there, which $name, has its answer", async ({ change, says }) => {
    const metadata = { generateName: "there-", annotations: asked("grace") };
    const stored = await create(kindOf[plural], namespace, { metadata, spec: spec[plural] });
    const path = `${collectionPath(kindOf[plural], namespace)}/${stored.metadata.name}`;
    const answer = await sendAs(editor, "PATCH", path, { apiVersion, metadata: { annotations: change } });
    expect(answer).toMatchObject(says === undefined ? { status: 200 } : refusal(says));
  });
});

it("our own processes say who asked them", async () => {
  const object = { metadata: { name: "tried", annotations: asked("ada") }, spec: spec.runs };
  const { body } = await tryToCreate(processes.gateway, Run, namespace, object);
  expect(JSON.stringify(body)).not.toContain("may name");
});

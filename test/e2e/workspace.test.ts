import { afterAll, beforeAll, expect, it } from "vitest";

import { Prompt, Session } from "../../src/api/v1alpha1/index.ts";
import { isSettled } from "../../src/domain/prompts/prompt-state.ts";
import { pods } from "../../src/kube/core-resources.ts";
import { succeeded } from "./support/stages.ts";
import { runPlugin } from "./support/plugin.ts";
import { accountName } from "./support/tenant-objects.ts";
import { until } from "../support/kube.ts";
import { makePerson } from "./support/people.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

/** Notes each prompt, and how its workspace began, in the workspace and answers with all that is noted there. */
const note = 'echo " ${RESTORED_FROM_SNAPSHOT:-fresh}" >> /workspace/notes';
const agent = ["bash", "-c", `cat >> /workspace/notes; ${note}; xargs < /workspace/notes`];

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("workspace");
  tenant = await makeTenant(stage, { command: agent, workspaceSizeLimit: "2Gi" });
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: tenant.namespace, name });
const read = (): Promise<Session> => stage.bench.client.get(Session, keyOf("notes"));

async function ask(name: string): Promise<Prompt> {
  const spec = { sessionRef: { name: "notes" }, text: name };
  await stage.bench.client.create(Prompt, { metadata: keyOf(name), spec });
  await until(`${name} has ended`, async () => isSettled(await stage.bench.client.get(Prompt, keyOf(name))));
  return stage.bench.client.get(Prompt, keyOf(name));
}

it("a prompt to a session that was stopped for idleness finds the workspace as it was", async () => {
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName };
  await stage.bench.client.create(Session, {
    metadata: keyOf("notes"),
    spec: { ...use, target: {}, idleTimeoutSeconds: 1 },
  });
  await ask("first");
  await until("the sandbox has ended", async () => (await read()).status?.sandbox?.endTime !== undefined);
  expect((await read()).status).toMatchObject({ sandbox: { attempt: 1 }, snapshot: { attempt: 1 } });
  const second = await ask("second");
  expect(succeeded(second)).toMatchObject({ status: "True", reason: "Completed" });
  expect(second.status?.result?.summary).toBe("first fresh second true");
  expect((await read()).status?.sandbox?.attempt).toBe(2);
});

it("what happened in a session is read when its sandboxes are gone", async () => {
  const { bench } = stage;
  await until("the second sandbox has ended", async () => {
    const { sandbox } = (await read()).status ?? {};
    return sandbox?.attempt === 2 && sandbox.endTime !== undefined;
  });
  await until("no pod is left", async () => (await bench.client.list(pods, tenant)).items.length === 0);
  const person = await makePerson(bench, tenant.namespace, "view");
  const as = ["--service-account", `${tenant.namespace}/${person}`];
  const logs = await runPlugin(bench, ["session", "logs", `${tenant.namespace}/notes`, ...as]);
  const said = logs.split("\n").filter((line) => line.startsWith("first"));
  expect(said).toEqual(["first fresh", "first fresh second true"]);
});

it("a prompt that comes while an idle sandbox is saved breaks off the save and begins in the same sandbox", async () => {
  const key = keyOf("busy");
  const busy = async (): Promise<NonNullable<Session["status"]>> =>
    (await stage.bench.client.get(Session, key)).status ?? {};
  // Cannot be compressed, so that saving it takes some seconds.
  const command = ["bash", "-c", "head -c 600000000 /dev/urandom > /workspace/large; cat"];
  await stage.bench.client.create(Session, {
    metadata: key,
    spec: {
      ...{ sandboxClassName: tenant.namespace, serviceAccountName: accountName, target: {} },
      agent: { command, protocol: "exec", permissionRequests: "Reject" },
      idleTimeoutSeconds: 1,
    },
  });
  const ask = async (name: string): Promise<void> => {
    const spec = { sessionRef: { name: "busy" }, text: name };
    await stage.bench.client.create(Prompt, { metadata: keyOf(name), spec });
  };
  await ask("fill");
  await until("its workspace is being saved", async () => (await busy()).sandbox?.snapshotTime !== undefined);
  await ask("at-once");
  await until("the prompt is processed", async () => (await busy()).currentPrompt !== undefined);
  const { sandbox, currentPrompt, snapshot } = await busy();
  expect([sandbox?.attempt, currentPrompt?.name, snapshot]).toEqual([1, "at-once", undefined]);
  await until("it has ended", async () => isSettled(await stage.bench.client.get(Prompt, keyOf("at-once"))));
  expect(succeeded(await stage.bench.client.get(Prompt, keyOf("at-once")))).toMatchObject({ reason: "Completed" });
});

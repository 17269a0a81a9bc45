import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { untilAllowed } from "../../support/authorized.ts";
import { runPlugin } from "../../support/cli.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { clientOf } from "../../support/kube.ts";
import { restrictedKubeconfig } from "./restricted-user.ts";
import { makeAutomation, patchAutomation, runsOf } from "./automations.ts";
import { deliver } from "./sender.ts";
import { startWorld, type World, waitFor } from "./world.ts";

const onlyFailed = { filters: [{ path: "$.status", operator: "eq", value: "failed" }] };

let world: World;
let directory: string;
/** Kubeconfigs of a person who may look and of one who may also create Runs. */
let viewer: string;
let editor: string;

beforeAll(async () => {
  world = await startWorld();
  directory = await mkdtemp(join(tmpdir(), "runwright-commands-"));
  const admin = clientOf({ file: testCluster().kubeconfig });
  const resources = ["automations", "deliverylogs", "runs"];
  const looking = { scope: "cluster", apiGroups: ["runwright.dev"], resources, verbs: ["get", "list"] } as const;
  const creating = { ...looking, resources: ["runs"], verbs: ["create"] };
  const { kubeconfig } = testCluster();
  const person = async (user: string, permissions: (typeof looking | typeof creating)[]): Promise<string> => {
    const file = join(directory, user);
    await writeFile(file, await restrictedKubeconfig(admin.client, { kubeconfig, user, permissions }));
    await untilAllowed(user, permissions);
    return file;
  };
  viewer = await person("viewer-of-deliveries", [looking]);
  editor = await person("editor-of-deliveries", [looking, creating]);
  await admin.close();
});
afterAll(async () => {
  await world.close();
  await rm(directory, { recursive: true, force: true });
});

/** What a command printed, with its exit status. */
async function run(kubeconfig: string, ...args: string[]): Promise<{ status: number; out: string; notes: string }> {
  const { status, out, err } = await runPlugin([...args, "--kubeconfig", kubeconfig]);
  return { status, out, notes: err };
}

/** Waits until the log has a delivery. */
async function untilLogged(automation: string, id: string): Promise<string> {
  world.replica.clock.move(1_000);
  let listed = "";
  await waitFor(`delivery ${id} is listed`, async () => {
    listed = (await run(viewer, "deliveries", automation)).out;
    return listed.includes(id);
  });
  return listed;
}

it("answer why a delivery did not fire, and deliver it again once the filters are right", async () => {
  const made = await makeAutomation(world, onlyFailed);
  const automation = `${made.namespace}/${made.name}`;
  const body = JSON.stringify({ status: "FAILED", idempotencyKey: "k" });
  const sent = await deliver(world.replica, made, body);
  const id = String(sent.headers["runwright-delivery-id"]);
  const why = '$.status is "FAILED", but must be "failed"';
  const row = (await untilLogged(automation, id)).split("\n").find((line) => line.includes(id));
  expect(row).toMatch(/ Filtered +200 /);
  expect(row).toContain(why);

  const payload = join(directory, "payload.json");
  await writeFile(payload, body);
  const explained = await run(viewer, "explain", automation, "-f", payload);
  expect(explained).toMatchObject({ status: 0, out: expect.stringContaining(why) as string });

  expect(await run(viewer, "replay", `${made.namespace}/${id}`)).toMatchObject({
    status: 1,
    notes: expect.stringContaining("--ignore-filters") as string,
  });
  const filters = [{ path: "$.status", operator: "eq", value: "FAILED" }];
  await patchAutomation(made, { spec: { trigger: { webhook: { filters } } } });
  expect((await run(viewer, "replay", `${made.namespace}/${id}`)).notes).toContain("edit");
  expect(await runsOf(made)).toEqual([]);

  expect((await run(editor, "replay", `${made.namespace}/${id}`)).status).toBe(0);
  const [first] = await runsOf(made);
  expect(first?.spec.trigger).toMatchObject({ type: "Webhook", payload: body });
  expect(first?.metadata.annotations).toEqual({ "runwright.dev/replay-of": id });

  // Started ones are replayed from their Runs, which the log need not know.
  const replayed = first?.spec.trigger.deliveryID ?? "";
  expect((await run(editor, "replay", replayed, "-n", made.namespace, "-o", "name")).out).toMatch(
    /^run\.runwright\.dev/,
  );
  expect(await runsOf(made)).toHaveLength(2);
  // The sender's own key is still free.
  world.replica.forget();
  expect((await deliver(world.replica, made, body)).body).toMatchObject({ triggered: 1 });
  expect(JSON.parse((await run(viewer, "explain", automation, "-f", payload, "-o", "json")).out)).toMatchObject({
    decision: "Duplicate",
  });
});

it("deliver all again that were skipped, each once however often it is asked for", async () => {
  const made = await makeAutomation(world);
  const automation = `${made.namespace}/${made.name}`;
  const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  const skipped = async (
    name: string,
    payload: object,
    completionTime: string,
    idempotencyKey?: string,
  ): Promise<void> => {
    const verdict = { uid: "u", cause: "AutomationPaused", message: "", time: completionTime, idempotencyKey };
    const annotations = idempotencyKey === undefined ? {} : { "runwright.dev/skipped": JSON.stringify(verdict) };
    const labels = { "runwright.dev/automation-uid": made.uid };
    const metadata = { name: `${made.name}-${name}`, labels, annotations };
    const trigger = { type: "Webhook", time: completionTime, deliveryID: name, payload: JSON.stringify(payload) };
    const spec = { automationRef: { name: made.name, uid: made.uid }, trigger };
    const runs = `/apis/runwright.dev/v1alpha1/namespaces/${made.namespace}/runs`;
    const body = { apiVersion: "runwright.dev/v1alpha1", kind: "Run", metadata, spec };
    expect((await testApi().send("POST", runs, body)).status).toBe(201);
    const condition = { type: "Succeeded", status: "False", reason: "Skipped", message: "" };
    const status = { completionTime, conditions: [{ ...condition, lastTransitionTime: completionTime }] };
    expect((await testApi().send("PATCH", `${runs}/${metadata.name}/status`, { status })).status).toBe(200);
  };
  await skipped("aaa", { idempotencyKey: "k", n: 1 }, ago(1));
  await skipped("bbb", { n: 2 }, ago(1));
  await skipped("ccc", { n: 3 }, ago(3));
  await skipped("ddd", { idempotencyKey: "sent-again", n: 4 }, ago(1));
  await skipped("eee", { n: 5 }, ago(1), "from a header");
  const again = { idempotencyKey: "sent-again", n: 4 };
  expect((await deliver(world.replica, made, again)).body).toMatchObject({ triggered: 1 });

  const replay = ["replay", automation, "--skipped", "--since", "2h"];
  const { status, out } = await run(editor, ...replay);
  expect({ status, created: out.match(/created/g)?.length, there: out.match(/was there already/g)?.length }).toEqual({
    status: 0,
    created: 3,
    there: 1,
  });
  const started = async () => (await runsOf(made)).filter(({ status: seen }) => seen?.completionTime === undefined);
  const payloads = (await started()).map(({ spec }) => (JSON.parse(spec.trigger.payload ?? "") as { n: number }).n);
  expect(payloads.sort()).toEqual([1, 2, 4, 5]);
  const keys = (await started()).map(({ spec }) => spec.trigger.idempotencyKey);
  expect(keys).toEqual(expect.arrayContaining(["k", "from a header"]));
  // The sender's own try is a duplicate now.
  expect((await deliver(world.replica, made, { idempotencyKey: "k", n: 1 })).body).toMatchObject({ skipped: 1 });
  expect((await run(editor, ...replay)).out).not.toContain("created");
  expect(await started()).toHaveLength(4);
  expect((await run(editor, "replay", automation, "--skipped")).notes).toContain("--since");
});

it("print a delivery that starts a Run, each time", async () => {
  const filters = [
    { path: "$.status", operator: "eq", value: "it's failed" },
    { path: "$.labels.severity", operator: "gte", value: 3 },
    { path: "$.labels.service", operator: "neq", value: "search" },
  ];
  const made = await makeAutomation(world, { filters });
  const send = async (): Promise<unknown> => {
    const { out } = await run(viewer, "key", "curl", `${made.namespace}/${made.name}`);
    const [, quoted = ""] = /--data '(.*)'\n$/.exec(out) ?? [];
    return (await deliver(world.replica, made, quoted.replaceAll(String.raw`'\''`, "'"))).body;
  };
  expect([await send(), await send()]).toMatchObject([{ triggered: 1 }, { triggered: 1 }]);
});

it("say what is not there", async () => {
  const made = await makeAutomation(world);
  const automation = `${made.namespace}/${made.name}`;
  expect((await run(viewer, "deliveries", automation)).out).toContain(
    `No delivery with the key or signature of ${automation} is known`,
  );
  expect((await run(viewer, "deliveries", `${made.namespace}/nobody`)).notes).toContain("there is no Automation");
  expect((await run(viewer, "replay", `${made.namespace}/abc`)).notes).toContain("neither a DeliveryLog nor a Run");
});

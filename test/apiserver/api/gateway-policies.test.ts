import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { annotations, Automation, labels, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { randomNameBytes } from "../../../src/domain/object-names.ts";
import { manualRun } from "../../../src/domain/runs/manual-run.ts";
import { pausePatch, resumePatch } from "../../../src/domain/pauses/pause-patch.ts";
import { permissions } from "../../../src/gateway/permissions.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { makeNamespace } from "../../support/cluster.ts";
import { create } from "./objects.ts";
import { collectionPath } from "./paths.ts";
import { grant, processes, refusal, sendAs, tryToCreate } from "./users.ts";

const at = new Date("2026-05-04T10:15:00.000Z");
const { gateway } = processes;
/** Has the gateway's rights and is not the gateway. */
const person = "ada";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("gateway");
  const its = permissions.filter(({ scope, apiGroups }) => scope === "tenants" && apiGroups.includes("runwright.dev"));
  const rules = its.map(({ apiGroups, resources, verbs }) => ({
    apiGroups: [...apiGroups],
    resources: [...resources],
    verbs: [...verbs],
  }));
  const impersonate = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] };
  await Promise.all([grant(namespace, gateway, rules), grant(namespace, person, [...rules, impersonate])]);
});

const filters = [{ path: "$.status", operator: "eq", value: "failed" }];
const spec = {
  displayName: "Triage",
  instructions: "Find the cause.",
  serviceAccountName: "runner",
  trigger: { type: "Webhook", webhook: { filters } },
  suspend: false,
};

let stored = 0;
beforeEach(async () => {
  stored += 1;
  const metadata = { name: `stored-${stored}`, labels: { team: "shop" }, annotations: { "example.com/of": "Git" } };
  await create(Automation, namespace, { metadata, spec });
});

const change = (user: string, patch: object): Promise<ApiAnswer> =>
  sendAs(user, "PATCH", `${collectionPath(Automation, namespace)}/stored-${stored}`, patch);

describe("of Automations the gateway", () => {
  it("may do what pause and resume do, again and again", async () => {
    const resume = resumePatch({ spec: { suspend: true } }, at);
    for (const patch of [pausePatch(), pausePatch(), resume, resumePatch({ spec: { suspend: false } }, new Date(0))]) {
      expect(await change(gateway, patch)).toMatchObject({ status: 200 });
    }
  });

  const only = "spec: the gateway may change suspend only";
  const annotation = `metadata.annotations: the gateway may change ${annotations.resumeRequestedAt} only`;
  const held = "metadata: the gateway may change neither labels nor ownerReferences nor finalizers";
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" };
  it.each([
    ["rewrite instructions", { spec: { instructions: "Do as I say." } }, only],
    ["rewrite them beside a pause", { spec: { suspend: true, instructions: "Do as I say." } }, only],
    ["take a field away", { spec: { displayName: null } }, only],
    ["add a field", { spec: { session: { sandboxClassName: "large" } } }, only],
    ["take another ServiceAccount", { spec: { serviceAccountName: "admin" } }, only],
    [
      "change what a filter compares with",
      { spec: { trigger: { webhook: { filters: [{ ...filters[0], value: "x" }] } } } },
      only,
    ],
    ["add an annotation", { metadata: { annotations: { "example.com/other": "x" } } }, annotation],
    ["change an annotation", { metadata: { annotations: { "example.com/of": "x" } } }, annotation],
    ["take annotations away", { metadata: { annotations: null } }, annotation],
    ["change labels", { metadata: { labels: { team: "mine" } } }, held],
    ["take labels away", { metadata: { labels: null } }, held],
    ["hold it", { metadata: { finalizers: ["example.com/stay"] } }, held],
    ["have it collected", { metadata: { ownerReferences: [owner] } }, held],
  ])("may not %s", async (_, patch, message) => {
    expect(await change(gateway, patch)).toMatchObject(refusal(message));
    expect(await change(person, patch)).toMatchObject({ status: 200 });
  });
});

describe("of Runs the gateway", () => {
  const automation = { namespace: "ours", name: "stored", uid: "u" };
  const fired = (whilePaused: boolean): Run =>
    manualRun({ automation, time: at, random: new Uint8Array(randomNameBytes), whilePaused });
  const requested = { [annotations.requestedBy]: "ada" };

  const tryRun = (user: string, metadata: object, trigger?: object, whilePaused = false): Promise<ApiAnswer> => {
    const run = fired(whilePaused);
    const own = { ...run.metadata, namespace, annotations: { ...run.metadata.annotations, ...requested } };
    const runSpec = trigger ? { ...run.spec, trigger } : run.spec;
    return tryToCreate(user, Run, namespace, { metadata: { ...own, ...metadata }, spec: runSpec });
  };

  it.each([false, true])("may create what a person fires by hand, while paused: %s", async (whilePaused) => {
    expect(await tryRun(gateway, {}, undefined, whilePaused)).toMatchObject({ status: 201 });
  });

  const type = "spec.trigger.type: the gateway may create Runs of type Manual only";
  const named = `metadata.annotations: the gateway must set ${annotations.requestedBy}`;
  const held = "metadata: the gateway may set neither ownerReferences nor finalizers";
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" };
  it.each<[string, object, object | undefined, string]>([
    ["of deliveries", {}, { type: "Webhook", payload: "{}" }, type],
    ["of slots", {}, { type: "Schedule" }, type],
    ["that name no session", { annotations: {} }, undefined, named],
    ["with other annotations", { annotations: { ...requested, [annotations.replayOf]: "d" } }, undefined, named],
    ["that are held", { finalizers: ["example.com/stay"] }, undefined, held],
    ["that are collected", { ownerReferences: [owner] }, undefined, held],
  ])("may not create any %s", async (_, metadata, trigger, message) => {
    expect(await tryRun(gateway, metadata, trigger)).toMatchObject(refusal(message));
    expect(await tryRun(person, metadata, trigger)).toMatchObject({ status: 201 });
  });
});

describe("of Prompts the gateway", () => {
  const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "s", uid: "u" };
  const asked = { annotations: { [annotations.requestedBy]: "ada" }, ownerReferences: [owner] };
  const promptSpec = { sessionRef: { name: "s" }, text: "Go on." };
  const tryPrompt = (user: string, metadata: object): Promise<ApiAnswer> =>
    tryToCreate(user, Prompt, namespace, { metadata: { name: "s-1", ...asked, ...metadata }, spec: promptSpec });
  const storePrompt = (): Promise<unknown> =>
    create(Prompt, namespace, { metadata: { name: `stored-${stored}`, ...asked }, spec: promptSpec });
  const changeIt = (user: string, patch: object): Promise<ApiAnswer> =>
    sendAs(user, "PATCH", `${collectionPath(Prompt, namespace)}/stored-${stored}`, patch);

  it("may create what a person asks, and ask for its end", async () => {
    expect(await tryPrompt(gateway, {})).toMatchObject({ status: 201 });
    await storePrompt();
    expect(await changeIt(gateway, { spec: { cancel: true } })).toMatchObject({ status: 200 });
  });

  const named = `metadata.annotations: the gateway must set ${annotations.requestedBy} and nothing else`;
  const owned = "metadata: the gateway must set the Session as the one owner, and no finalizers";
  it.each<[string, object, string]>([
    ["that names no session", { annotations: {} }, named],
    ["with other annotations", { annotations: { ...asked.annotations, "example.com/of": "x" } }, named],
    ["without an owner", { ownerReferences: [] }, owned],
    ["of another's session", { ownerReferences: [{ ...owner, name: "other" }] }, owned],
    ["of another kind's", { ownerReferences: [{ ...owner, kind: "Run" }] }, owned],
    ["of another API group's", { ownerReferences: [{ ...owner, apiVersion: "example.com/v1" }] }, owned],
    ["that is held", { finalizers: ["example.com/stay"] }, owned],
  ])("may not create any %s", async (_, metadata, message) => {
    expect(await tryPrompt(gateway, metadata)).toMatchObject(refusal(message));
    expect(await tryPrompt(person, metadata)).toMatchObject({ status: 201 });
  });

  it.each([
    ["have it collected", { metadata: { ownerReferences: [] } }],
    ["rename who asked", { metadata: { annotations: { [annotations.requestedBy]: "eve" } } }],
    ["hold it", { metadata: { finalizers: ["example.com/stay"] } }],
  ])("may not %s", async (_, patch) => {
    const message =
      "metadata: the gateway may change neither labels nor annotations nor ownerReferences nor finalizers";
    await storePrompt();
    expect(await changeIt(gateway, patch)).toMatchObject(refusal(message));
    expect(await changeIt(person, patch)).toMatchObject({ status: 200 });
  });
});

describe("of Sessions the gateway", () => {
  const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "s", uid: "u" };
  const child = { labels: { [labels.parentUid]: "u" }, ownerReferences: [owner] };
  const tryChild = (user: string, metadata: object): Promise<ApiAnswer> =>
    tryToCreate(user, Session, namespace, {
      metadata: { name: "child", ...child, ...metadata },
      spec: { serviceAccountName: "runner" },
    });

  it("may create children of sessions", async () => {
    expect(await tryChild(gateway, {})).toMatchObject({ status: 201 });
  });

  it.each<[string, object]>([
    ["without an owner", { ownerReferences: [] }],
    ["of a Run", { ownerReferences: [{ ...owner, kind: "Run" }] }],
    ["of a Session of another API group", { ownerReferences: [{ ...owner, apiVersion: "example.com/v1" }] }],
    [
      "of a group that begins like ours",
      { ownerReferences: [{ ...owner, apiVersion: "runwright.dev.example.com/v1" }] },
    ],
    ["of two", { ownerReferences: [owner, { ...owner, uid: "v" }] }],
    ["of another's label", { labels: { [labels.parentUid]: "v" } }],
    ["with a further label", { labels: { ...child.labels, [labels.runUid]: "r" } }],
    ["that is held", { finalizers: ["example.com/stay"] }],
  ])("may not create any %s", async (_, metadata) => {
    const message = "metadata: the gateway must set a Session as the one owner";
    expect(await tryChild(gateway, metadata)).toMatchObject(refusal(message));
    expect(await tryChild(person, metadata)).toMatchObject({ status: 201 });
  });
});

import { beforeAll, describe, expect, it } from "vitest";

import {
  annotations,
  apiVersion,
  Automation,
  DeliveryLog,
  Environment,
  labels,
  Repository,
  Run,
  type Kind,
} from "../../../src/api/v1alpha1/index.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { create } from "./objects.ts";
import { collectionPath } from "./paths.ts";
import { grant, processes, refusal, sendAs, tryToCreate } from "./users.ts";

const ours = {
  apiGroups: ["runwright.dev"],
  resources: ["automations", "deliverylogs", "environments", "repositories", "runs"],
  verbs: ["create", "patch"],
};
const { controller, gateway, ingress } = processes;

/** May write our kinds, and use no ServiceAccount. */
const stranger = "ada";
/** May write our kinds, and act through the ServiceAccount `runner`. */
const friend = "grace";
/** May do what the friend may, and read the Secret `granted`. */
const reader = "joan";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("policies");
  const users = [ingress, controller, gateway, stranger, friend, reader];
  await Promise.all(users.map((user) => grant(namespace, user, [ours])));
  const acting = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"], resourceNames: ["runner"] };
  await grant(namespace, friend, [acting]);
  const reading = { apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["granted"] };
  await grant(namespace, reader, [acting, reading]);
});

const post = (user: string, kind: Kind, object: object): Promise<ApiAnswer> =>
  tryToCreate(user, kind, namespace, object);

function change(user: string, kind: Kind, name: string, object: object): Promise<ApiAnswer> {
  return sendAs(user, "PATCH", `${collectionPath(kind, namespace)}/${name}`, object);
}

describe("the ingress", () => {
  const automationRef = { name: "a", uid: "u" };
  const own = { [labels.automationUid]: "u", [labels.automationName]: "a" };

  it.each([{}, { annotations: { [annotations.traceparent]: "00-1-2-01" } }])(
    "may create Runs of type Webhook: %j",
    async (metadata) => {
      const spec = { automationRef, trigger: { type: "Webhook", payload: "{}" } };
      const object = { metadata: { name: "tried", labels: own, ...metadata }, spec };
      expect(await post(ingress, Run, object)).toMatchObject({ status: 201 });
    },
  );

  it("may not create Runs without the UID of their automation", async () => {
    const spec = { automationRef: { name: "a" }, trigger: { type: "Webhook" } };
    const answer = await post(ingress, Run, { metadata: { name: "tried", labels: own }, spec });
    expect(answer).toMatchObject(refusal("as in spec.automationRef"));
  });

  it.each(["Manual", "Schedule"])("may not create Runs of type %s", async (type) => {
    const object = { metadata: { name: "tried", labels: own }, spec: { automationRef, trigger: { type } } };
    const answer = await post(ingress, Run, object);
    expect(answer).toMatchObject(
      refusal("spec.trigger.type: the ingress may create Runs of types Webhook and ErrorTracker only"),
    );
  });

  const owner = { apiVersion, kind: "Automation", name: "tried", uid: "u" };

  it("may create the DeliveryLog of an Automation", async () => {
    const object = { metadata: { name: "tried", ownerReferences: [owner] }, spec: {} };
    expect(await post(ingress, DeliveryLog, object)).toMatchObject({ status: 201 });
  });

  it.each([
    ["no owner", {}, "metadata.ownerReferences: the Automation of the same name must be the only owner"],
    ["another's owner", { ownerReferences: [{ ...owner, name: "other" }] }, "must be the only owner"],
    ["an owner of another kind", { ownerReferences: [{ ...owner, kind: "Run" }] }, "must be the only owner"],
    ["two owners", { ownerReferences: [owner, { ...owner, uid: "v" }] }, "must be the only owner"],
    ["finalizers", { ownerReferences: [owner], finalizers: ["example.com/stay"] }, "may not set finalizers"],
  ])("may not create a DeliveryLog with %s", async (_, metadata, message) => {
    const object = { metadata: { name: "tried", ...metadata }, spec: {} };
    expect(await post(ingress, DeliveryLog, object)).toMatchObject(refusal(message));
  });

  it.each([
    ["another owner", { ownerReferences: [{ ...owner, name: "another-owner", uid: "v" }] }, "may not change the owner"],
    ["no owner", { ownerReferences: null }, "must be the only owner"],
    ["finalizers", { finalizers: ["example.com/stay"] }, "may not set finalizers"],
  ])("may add to a DeliveryLog and not give it %s", async (title, metadata, message) => {
    const name = title.replaceAll(" ", "-");
    await create(DeliveryLog, namespace, { metadata: { name, ownerReferences: [{ ...owner, name }] }, spec: {} });
    expect(await change(ingress, DeliveryLog, name, { spec: { refusals: [] } })).toMatchObject({ status: 200 });
    expect(await change(ingress, DeliveryLog, name, { metadata })).toMatchObject(refusal(message));
  });

  it.each([
    ["the annotation while-paused", { annotations: { [annotations.whilePaused]: "true" } }, "metadata.annotations"],
    ["an annotation of a person", { annotations: { "example.com/other": "x" } }, "metadata.annotations"],
    ["no label", { labels: {} }, "metadata.labels"],
    ["another automation's UID", { labels: { ...own, [labels.automationUid]: "v" } }, "metadata.labels"],
    ["another automation's name", { labels: { ...own, [labels.automationName]: "b" } }, "metadata.labels"],
    ["a further label", { labels: { ...own, "example.com/other": "x" } }, "metadata.labels"],
    ["an owner", { ownerReferences: [{ apiVersion: "v1", kind: "Secret", name: "a", uid: "u" }] }, "ownerReferences"],
    ["a finalizer", { finalizers: ["example.com/stay"] }, "finalizers"],
  ])("may not create Runs with %s", async (_, metadata, named) => {
    const spec = { automationRef, trigger: { type: "Webhook" } };
    const answer = await post(ingress, Run, { metadata: { name: "tried", labels: own, ...metadata }, spec });
    expect(answer).toMatchObject(refusal(named));
  });

  it("alone is bound by that", async () => {
    const metadata = { name: "tried", annotations: { [annotations.whilePaused]: "true" } };
    const spec = { automationRef, trigger: { type: "Manual" } };
    expect(await post(stranger, Run, { metadata, spec })).toMatchObject({ status: 201 });
  });
});

const secretRef = { name: "granted" };
const automation = { instructions: "do", serviceAccountName: "runner", trigger: { type: "Manual" } };
const repositoryRefs = [{ name: "a" }];
const url = "https://git.example.com/a.git";
const githubURL = "https://github.com/acme/a.git";
const githubApp = { appID: 1, installationID: 2 };

describe.each<[string, Kind, (ref: object | null) => object, object]>([
  ["spec.credentialSecretRef", Repository, (ref) => ({ url, credentialSecretRef: ref }), { url: `${url}?elsewhere` }],
  [
    "spec.githubApp.privateKeySecretRef",
    Repository,
    (ref) => ({ url: githubURL, githubApp: { ...githubApp, privateKeySecretRef: ref } }),
    { githubApp: { ...githubApp, apiURL: "https://github.example.com/api/v3" } },
  ],
  ["spec.caSecretRef", Repository, (ref) => ({ url, caSecretRef: ref }), { branch: "other" }],
  ["spec.secretRef", Repository, (ref) => ({ url, secretRef: ref }), { branch: "other" }],
  [
    "spec.secretRef",
    Environment,
    (ref) => ({ repositoryRefs, secretRef: ref }),
    { repositoryRefs: [...repositoryRefs, { name: "b" }] },
  ],
  [
    "spec.trigger.webhook.keyHashSecretRef",
    Automation,
    (ref) => ({ ...automation, trigger: { type: "Webhook", webhook: { keyHashSecretRef: ref } } }),
    { instructions: "do more" },
  ],
])("the author who names a Secret in %s (%#)", (field, kind, specOf, specChange) => {
  const keyed = { key: "sha256", ...secretRef };
  const ref = kind === Automation ? keyed : secretRef;
  const needed = (user: string, name: string): object =>
    refusal(`${field}.name: ${user} must be allowed to get Secret ${namespace}/${name}, which this would use`);
  const stored = `stored-${field.split(".").at(-1)!.toLowerCase()}`;

  beforeAll(async () => {
    await create(kind, namespace, { metadata: { name: stored }, spec: specOf(ref) });
  });

  it("must be allowed to get that one", async () => {
    expect(await post(reader, kind, { spec: specOf(ref) })).toMatchObject({ status: 201 });
    expect(await post(friend, kind, { spec: specOf(ref) })).toMatchObject(needed(friend, "granted"));
    const other = { ...ref, name: "other" };
    expect(await post(reader, kind, { spec: specOf(other) })).toMatchObject(needed(reader, "other"));
  });

  it("must be so for each change of the spec, and for none beside it", async () => {
    expect(await change(friend, kind, stored, { spec: specChange })).toMatchObject(needed(friend, "granted"));
    expect(await change(friend, kind, stored, { metadata: { labels: { a: "b" } } })).toMatchObject({ status: 200 });
    expect(await change(reader, kind, stored, { spec: specChange })).toMatchObject({ status: 200 });
  });

  it("needs nothing without one", async () => {
    const spec = kind === Automation ? automation : kind === Environment ? { repositoryRefs } : { url };
    expect(await post(friend, kind, { spec })).toMatchObject({ status: 201 });
  });

  it.each([controller, gateway])("may be %s, which asked before", async (user) => {
    expect(await post(user, kind, { spec: specOf(ref) })).toMatchObject({ status: 201 });
  });
});

describe("a filter value that is refused at creation", () => {
  it("is refused by a change too", async () => {
    const filters = [{ path: "$.a", operator: "eq", value: 1 }];
    const spec = {
      instructions: "do",
      trigger: { type: "Webhook", webhook: { filters } },
      serviceAccountName: "runner",
    };
    await create(Automation, namespace, { metadata: { name: "filtered" }, spec });
    const path = `${collectionPath(Automation, namespace)}/filtered`;
    const worse = { spec: { trigger: { webhook: { filters: [{ path: "$.a", operator: "eq", value: {} }] } } } };
    expect(await testApi().send("PATCH", path, worse)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("filters[0].value must be a string, a number or a boolean") as unknown },
    });
  });
});

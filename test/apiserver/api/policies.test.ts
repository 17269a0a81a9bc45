import { beforeAll, describe, expect, it } from "vitest";

import { Automation, Environment, Repository, type Kind } from "../../../src/api/v1alpha1/index.ts";
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
const { controller, gateway } = processes;

/** May write our kinds, and use no ServiceAccount. */
const stranger = "ada";
/** May write our kinds, and act through the ServiceAccount `runner`. */
const friend = "grace";
/** May do what the friend may, and read the Secret `granted`. */
const reader = "joan";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("policies");
  const users = [controller, gateway, stranger, friend, reader];
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

const secretRef = { name: "granted" };
const automation = { instructions: "do", serviceAccountName: "runner", trigger: { type: "Manual" } };
const repositoryRefs = [{ name: "a" }];
const url = "https://git.example.com/a.git";
const githubURL = "https://github.com/acme/a.git";
const githubApp = { appID: 1, installationID: 2 };

const signedBy = (secretRef: object | null): object => ({ type: "HMAC", hmac: { preset: "github", secretRef } });

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
  [
    "spec.trigger.webhook.authentication.hmac.secretRef",
    Automation,
    (ref) => ({ ...automation, trigger: { type: "Webhook", webhook: { authentication: signedBy(ref) } } }),
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

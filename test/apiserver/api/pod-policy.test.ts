import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { apiVersion, labels } from "../../../src/api/v1alpha1/index.ts";
import { permissions } from "../../../src/controllers/permissions.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { grant, refusal, sendAs } from "./users.ts";

/** May create sandboxes, as the controller does, and is not limited as the controller is. */
const maker = "grace";
/** May do with pods what an editor of the namespace, a kubelet or a controller of Kubernetes may. */
const stranger = "ada";

let namespace: string;
let podsPath: string;
beforeAll(async () => {
  namespace = await makeNamespace("pods");
  podsPath = `/api/v1/namespaces/${namespace}/pods`;
  await testApi().send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "runner" } });
  const rules = [{ apiGroups: [""], resources: ["pods", "pods/status"], verbs: ["create", "patch"] }];
  const own = permissions.filter(({ resources }) => resources.includes("sandboxes"));
  const sandboxes = own.map((rule) => ({
    apiGroups: [...rule.apiGroups],
    resources: [...rule.resources],
    verbs: [...rule.verbs],
  }));
  await Promise.all([grant(namespace, stranger, rules), grant(namespace, maker, [...rules, ...sandboxes])]);
});

const session = { apiVersion, kind: "Session", name: "fix", uid: "u1", controller: true };
const deployed = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u2", controller: true };
const sandbox = { labels: { [labels.sessionUid]: "u1" }, ownerReferences: [session] };

const podOf = (metadata: object): object => ({
  metadata: { generateName: "tried-", ...metadata },
  spec: { serviceAccountName: "runner", containers: [{ name: "any", image: "any" }] },
});

const owned = `metadata.ownerReferences: ${stranger} must be allowed to create sandboxes.runwright.dev in namespace`;
const labelled = `metadata.labels: ${stranger} must be allowed to create sandboxes.runwright.dev in namespace`;

const claims: [string, object, string][] = [
  ["a Session as its owner", { ownerReferences: [session] }, owned],
  ["a Session beside another owner", { ownerReferences: [deployed, { ...session, controller: false }] }, owned],
  ["a Session of another version", { ownerReferences: [{ ...session, apiVersion: "runwright.dev/v1" }] }, owned],
  ["another kind of ours as its owner", { ownerReferences: [{ ...session, kind: "Run" }] }, owned],
  ["the label of a session's UID", { labels: { [labels.sessionUid]: "u1" } }, labelled],
  ["the label of a session's name", { labels: { [labels.sessionName]: "fix" } }, labelled],
  ["the label of another owner's UID", { labels: { [labels.ownerUid]: "u1" } }, labelled],
  ["the label of another owner's kind", { labels: { [labels.ownerKind]: "PrebuiltImage" } }, labelled],
  ["the label of another owner's name", { labels: { [labels.ownerName]: "api" } }, labelled],
];

describe("of pods only the controller", () => {
  const tryPod = (user: string, metadata: object): Promise<ApiAnswer> =>
    sendAs(user, "POST", `${podsPath}?dryRun=All`, podOf(metadata));

  it.each(claims)("may make one with %s", async (_, metadata, message) => {
    expect(await tryPod(stranger, metadata)).toMatchObject(refusal(message));
    expect(await tryPod(maker, metadata)).toMatchObject({ status: 201 });
  });

  it.each<[string, object]>([
    ["no owner", {}],
    ["an owner of Kubernetes", { ownerReferences: [deployed], labels: { app: "web" } }],
    [
      "an owner of a group that begins like ours",
      { ownerReferences: [{ ...session, apiVersion: "runwright.dev.x/v1" }] },
    ],
  ])("leaves one with %s to all", async (_, metadata) => {
    expect(await tryPod(stranger, metadata)).toMatchObject({ status: 201 });
  });
});

describe("a pod that is there", () => {
  let stored: string;
  const store = async (metadata: object): Promise<void> => {
    const { body } = await testApi().send("POST", podsPath, podOf(metadata));
    stored = (body as { metadata: { name: string } }).metadata.name;
  };
  const change = (user: string, metadata: object, subresource = ""): Promise<ApiAnswer> =>
    sendAs(user, "PATCH", `${podsPath}/${stored}${subresource}`, { metadata });

  describe("without an owner of ours", () => {
    beforeEach(() => store({ ownerReferences: [deployed] }));

    it.each(claims)("is given %s by the controller alone", async (_, metadata, message) => {
      expect(await change(stranger, metadata)).toMatchObject(refusal(message));
      expect(await change(maker, metadata)).toMatchObject({ status: 200 });
    });

    it("is not labelled through its status", async () => {
      expect(await change(stranger, { labels: sandbox.labels }, "/status")).toMatchObject(refusal(labelled));
    });
  });

  describe("that is a sandbox", () => {
    beforeEach(() => store(sandbox));

    it.each<[string, object, string]>([
      ["another Session as its owner", { ownerReferences: [{ ...session, uid: "u3" }] }, owned],
      [
        "a second Session as its owner",
        { ownerReferences: [session, { ...session, uid: "u3", controller: false }] },
        owned,
      ],
      ["another session's label", { labels: { [labels.sessionUid]: "u3" } }, labelled],
    ])("gets %s by the controller alone", async (_, metadata, message) => {
      expect(await change(stranger, metadata)).toMatchObject(refusal(message));
      expect(await change(maker, metadata)).toMatchObject({ status: 200 });
    });

    it.each<[string, object]>([
      ["annotated, as by a node", { annotations: { "example.com/address": "10.0.0.1" } }],
      ["held back from its owner's deletion no more", { ownerReferences: [{ ...session, blockOwnerDeletion: false }] }],
      ["left without its owner, as orphans are", { ownerReferences: null }],
      ["left without its labels", { labels: null }],
    ])("may be %s", async (_, metadata) => {
      expect(await change(stranger, metadata)).toMatchObject({ status: 200 });
    });

    it("has its status reported", async () => {
      const answer = await sendAs(stranger, "PATCH", `${podsPath}/${stored}/status`, { status: { phase: "Running" } });
      expect(answer).toMatchObject({ status: 200, body: { status: { phase: "Running" } } });
    });
  });
});

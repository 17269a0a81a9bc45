import { beforeAll, describe, expect, it } from "vitest";

import {
  annotations,
  apiVersion,
  Automation,
  Integration,
  labels,
  Session,
  Skill,
  type Kind,
} from "../../../src/api/v1alpha1/index.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { makeNamespace } from "../../support/cluster.ts";
import { create } from "./objects.ts";
import { collectionPath } from "./paths.ts";
import { grant, processes, refusal, sendAs, tryToCreate } from "./users.ts";

const ours = {
  apiGroups: ["runwright.dev"],
  resources: ["automations", "automations/status", "sessions", "sessions/status"],
  verbs: ["get", "create", "update", "patch"],
};
const { controller, gateway, ingress } = processes;

/** May write our kinds, and use no ServiceAccount. */
const stranger = "ada";
/** May write our kinds, and act through the ServiceAccount `runner`. */
const friend = "grace";
/** May do what the friend may, and read Secrets. */
const reader = "joan";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("authors");
  await Promise.all(
    [ingress, controller, gateway, stranger, friend, reader].map((user) => grant(namespace, user, [ours])),
  );
  const acting = { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"], resourceNames: ["runner"] };
  await grant(namespace, friend, [acting]);
  await grant(namespace, reader, [acting, { apiGroups: [""], resources: ["secrets"], verbs: ["get"] }]);
});

const post = (user: string, kind: Kind, object: object): Promise<ApiAnswer> =>
  tryToCreate(user, kind, namespace, object);

type Write = (user: string, kind: Kind, path: string, object: object) => Promise<ApiAnswer>;

const dryPath = (kind: Kind, path: string): string => `${collectionPath(kind, namespace)}/${path}?dryRun=All`;

const patched: Write = (user, kind, path, object) => sendAs(user, "PATCH", dryPath(kind, path), object);

const applied: Write = (user, kind, path, object) => {
  const [name] = path.split("/");
  const whole = { ...object, apiVersion, kind: kind.kind, metadata: { ...metadataOf(object), name } };
  return sendAs(user, "PATCH", `${dryPath(kind, path)}&fieldManager=${user}&force=true`, whole);
};

const updated: Write = async (user, kind, path, object) => {
  const { body } = await sendAs(user, "GET", `${collectionPath(kind, namespace)}/${path}`);
  const stored = body as { metadata: object };
  const whole = { ...stored, ...object, metadata: { ...stored.metadata, ...metadataOf(object) } };
  return sendAs(user, "PUT", dryPath(kind, path), whole);
};

function metadataOf(object: { metadata?: object }): object {
  return object.metadata ?? {};
}

/** All ways to change what is stored; none of these changes is kept. */
const ways = [
  { way: "patch", write: patched },
  { way: "update", write: updated },
  { way: "server-side apply", write: applied },
];

/** Sessions as our processes make them: the gateway a child of another Session, the controller that of a Run. */
const made = {
  [gateway]: {
    name: "child",
    labels: { [labels.parentUid]: "p" },
    ownerReferences: [{ apiVersion, kind: "Session", name: "parent", uid: "p" }],
  },
  [controller]: { name: "run-0", ownerReferences: [{ apiVersion, kind: "Run", name: "run", uid: "r" }] },
};

/** Kind, a spec without ServiceAccount, a change of it, and the metadata that our own processes give it. */
const authored: [Kind, object, object, Partial<typeof made>][] = [
  [Automation, { instructions: "do", trigger: { type: "Manual" } }, { instructions: "do more" }, {}],
  [Session, { target: { environmentRef: { name: "e" } } }, { title: "renamed" }, made],
];

describe.each(authored)("the author of a $kind", (kind, spec, specChange, ofProcesses) => {
  const runner = { ...spec, serviceAccountName: "runner" };
  const needed = (account: string): object =>
    refusal(
      `spec.serviceAccountName: ${stranger} must be allowed to impersonate ServiceAccount ${namespace}/${account}`,
    );

  beforeAll(async () => {
    await create(kind, namespace, { metadata: { name: "stored" }, spec: runner });
  });

  it("may name a ServiceAccount that they may impersonate", async () => {
    expect(await post(friend, kind, { spec: runner })).toMatchObject({ status: 201 });
  });

  it("may not name another", async () => {
    expect(await post(stranger, kind, { spec: runner })).toMatchObject(needed("runner"));
    expect(await post(friend, kind, { spec: { ...spec, serviceAccountName: "admin" } })).toMatchObject({ status: 403 });
  });

  it.each(ways)("may not change the spec of one that acts through it by $way", async ({ write }) => {
    expect(await write(stranger, kind, "stored", { spec: { ...runner, ...specChange } })).toMatchObject(
      needed("runner"),
    );
    expect(await write(friend, kind, "stored", { spec: { ...runner, ...specChange } })).toMatchObject({ status: 200 });
    const other = { spec: { ...runner, serviceAccountName: "admin" } };
    expect(await write(friend, kind, "stored", other)).toMatchObject({ status: 403 });
  });

  it.each(ways)("may change its labels and annotations by $way", async ({ write }) => {
    const changed = { labels: { team: "shop" }, annotations: { [annotations.resumeRequestedAt]: "now" } };
    expect(await write(stranger, kind, "stored", { metadata: changed, spec: runner })).toMatchObject({ status: 200 });
  });

  it("may not make one by an apply either", async () => {
    const apply = (user: string): Promise<ApiAnswer> => applied(user, kind, "fresh", { spec: runner });
    expect(await apply(stranger)).toMatchObject(needed("runner"));
    expect(await apply(friend)).toMatchObject({ status: 201 });
  });

  it.each(ways)("may write its status by $way, and brings no spec along", async ({ write }) => {
    const object = { spec: { ...runner, ...specChange }, status: { observedGeneration: 1 } };
    const { status, body } = await write(stranger, kind, "stored/status", object);
    expect([status, body]).toMatchObject([200, { spec: runner, status: { observedGeneration: 1 } }]);
  });

  it.each([controller, gateway])("may be %s, which asked before", async (user) => {
    const metadata = ofProcesses[user] ?? { name: "tried" };
    expect(await post(user, kind, { metadata, spec: runner })).toMatchObject({ status: 201 });
  });

  it("may not be the ingress", async () => {
    expect(await post(ingress, kind, { spec: runner })).toMatchObject({ status: 403 });
  });
});

const agent = { command: ["sh", "-c", "env"] };
describe.each<[Kind, object, string]>([
  [Session, { agent, serviceAccountName: "runner" }, "agent"],
  [
    Automation,
    { instructions: "do", trigger: { type: "Manual" }, serviceAccountName: "runner", session: { agent } },
    "session.agent",
  ],
])("the author of a $kind with an agent of its own", (kind, spec, field) => {
  const needed = refusal(`spec.${field}: ${friend} must be allowed to get Secrets in namespace`);

  it("must be allowed to read Secrets", async () => {
    expect(await post(friend, kind, { spec })).toMatchObject(needed);
    expect(await post(reader, kind, { spec })).toMatchObject({ status: 201 });
  });

  it.each(ways)("must be so for a change of its spec by $way, and for none beside it", async ({ way, write }) => {
    const name = `agent-${way.replaceAll(" ", "-")}`;
    await create(kind, namespace, { metadata: { name }, spec });
    const changed = {
      spec: { ...spec, serviceAccountName: "runner", ...(kind === Session ? { title: "t" } : { suspend: true }) },
    };
    expect(await write(friend, kind, name, changed)).toMatchObject(needed);
    expect(await write(reader, kind, name, changed)).toMatchObject({ status: 200 });
    expect(await write(friend, kind, name, { metadata: { labels: { team: "shop" } }, spec })).toMatchObject({
      status: 200,
    });
  });
});

describe("the author of a Skill with a file from a ConfigMap", () => {
  /** May write Skills. */
  const writer = "mary";
  /** May do that, and read ConfigMaps. */
  const librarian = "ruth";
  const writing = { apiGroups: ["runwright.dev"], resources: ["skills"], verbs: ["get", "create", "update", "patch"] };
  const reading = { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] };
  beforeAll(async () => {
    await Promise.all([
      grant(namespace, writer, [writing, { ...reading, resourceNames: ["style"] }]),
      grant(namespace, librarian, [writing, reading]),
      grant(namespace, controller, [writing]),
    ]);
    await create(Skill, namespace, { metadata: { name: "stored" }, spec });
  });

  const spec = {
    description: "d",
    files: [
      { path: "a", content: "a" },
      { path: "b", configMapKeyRef: { name: "style", key: "b" } },
    ],
  };
  const needed = refusal(`spec.files: ${writer} must be allowed to get ConfigMaps in namespace`);

  it("must be allowed to read ConfigMaps", async () => {
    expect(await post(writer, Skill, { spec })).toMatchObject(needed);
    expect(await post(librarian, Skill, { spec })).toMatchObject({ status: 201 });
  });

  it("need not be where all texts are in the Skill, with as many files as there may be", async () => {
    const files = Array.from({ length: 99 }, (_, index) => ({ path: `f${String(index)}`, content: "" }));
    expect(await post(writer, Skill, { spec: { ...spec, files } })).toMatchObject({ status: 201 });
    expect(await post(writer, Skill, { spec: { description: "d" } })).toMatchObject({ status: 201 });
  });

  it("may name one in each of as many files as there may be", async () => {
    const files = Array.from({ length: 99 }, (_, index) => ({
      path: `f${String(index)}`,
      configMapKeyRef: { name: "style", key: "b" },
    }));
    expect(await post(librarian, Skill, { spec: { ...spec, files } })).toMatchObject({ status: 201 });
  });

  it.each(ways)("must be so for a change of its spec by $way, and for none beside it", async ({ write }) => {
    const changed = { spec: { ...spec, body: "more" } };
    expect(await write(writer, Skill, "stored", changed)).toMatchObject(needed);
    expect(await write(librarian, Skill, "stored", changed)).toMatchObject({ status: 200 });
    expect(await write(writer, Skill, "stored", { metadata: { labels: { team: "shop" } }, spec })).toMatchObject({
      status: 200,
    });
  });
});

describe("the author of an Integration", () => {
  const spec = {
    type: "Linear",
    serviceAccountName: "runner",
    signingSecretRef: { name: "linear" },
    credentialsSecretRef: { name: "linear-app" },
    linear: { organizationID: "0b9e1c1e-0000-4000-8000-000000000001" },
  };
  /** May write Integrations and read Secrets, and use no ServiceAccount. */
  const onlyReads = "rose";
  /** May write Integrations and act through `runner`, and read one of the two Secrets. */
  const readsOne = "hugo";
  /** May do all that an author needs. */
  const author = "lena";

  beforeAll(async () => {
    const write = { ...ours, resources: ["integrations", "integrations/status"] };
    const acting = {
      apiGroups: [""],
      resources: ["serviceaccounts"],
      verbs: ["impersonate"],
      resourceNames: ["runner"],
    };
    const get = { apiGroups: [""], resources: ["secrets"], verbs: ["get"] };
    await grant(namespace, onlyReads, [write, get]);
    await grant(namespace, readsOne, [write, acting, { ...get, resourceNames: ["linear"] }]);
    await grant(namespace, author, [write, acting, get]);
    await create(Integration, namespace, { metadata: { name: "stored" }, spec });
  });

  it("must be allowed to act through its ServiceAccount, and to read both of its Secrets", async () => {
    expect(await post(onlyReads, Integration, { spec })).toMatchObject({ status: 403 });
    expect(await post(readsOne, Integration, { spec })).toMatchObject({ status: 403 });
    expect(await post(author, Integration, { spec })).toMatchObject({ status: 201 });
  });

  it.each(ways)("must be so for a change of its spec by $way, and for none beside it", async ({ write }) => {
    const changed = { spec: { ...spec, suspend: true } };
    expect(await write(onlyReads, Integration, "stored", changed)).toMatchObject({ status: 403 });
    expect(await write(readsOne, Integration, "stored", changed)).toMatchObject({ status: 403 });
    expect(await write(author, Integration, "stored", changed)).toMatchObject({ status: 200 });
    const labelled = { metadata: { labels: { team: "shop" } }, spec };
    expect(await write(onlyReads, Integration, "stored", labelled)).toMatchObject({ status: 200 });
  });
});

describe("the ServiceAccount that the controller makes for sessions", () => {
  it("may be used by everybody in a Session, named or not", async () => {
    expect(await post(stranger, Session, { spec: {} })).toMatchObject({ status: 201 });
    expect(await post(stranger, Session, { spec: { serviceAccountName: "runwright-sandbox" } })).toMatchObject({
      status: 201,
    });
  });

  it("may not be used by everybody in an Automation", async () => {
    const spec = { instructions: "do", trigger: { type: "Manual" }, serviceAccountName: "runwright-sandbox" };
    expect(await post(stranger, Automation, { spec })).toMatchObject({ status: 403 });
  });
});

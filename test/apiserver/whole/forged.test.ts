import { afterAll, beforeAll, expect, it } from "vitest";

import { annotations, Automation, labels, Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { releaseLabel } from "../../../src/controllers/sandbox/labels.ts";
import { roleBindings } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import { leases, networkPolicies, pods, secrets, serviceAccounts } from "../../../src/kube/core-resources.ts";
import type { KubeObject, Resource } from "../../../src/lib/resource.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { aPrompt, aRun, aSession } from "../../support/builders.ts";
import { newNamespace, until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { World } from "./world.ts";

// An editor of one namespace writes whatever labels, owners, annotations and names of ours they like. The right answer is
// always the same: nothing outside of that namespace, and nothing above their rights.

const editor = "mallory";
let world: World;
/** The editor's namespace; the victim's is the world's own. */
let namespace: string;
let api: ApiClient;
let victim: { automation: Automation; session: Session; podName: string };

beforeAll(async () => {
  world = await World.make();
  world.startGateway();
  await world.startController();
  namespace = await newNamespace(world.client, "forger");
  await world.client.create(roleBindings, {
    metadata: { name: "editor", namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: editor }],
  });
  api = world.connect(editor);
  await until("the editor has the aggregated role", async () => {
    const resourceAttributes = { namespace, group: "runwright.dev", resource: "sessions", verb: "create" };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const { body } = await api.send("POST", path, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes },
    });
    return (body as { status?: { allowed?: boolean } }).status?.allowed === true;
  });
  victim = await aVictim();
});

afterAll(async () => {
  await api.close();
  await world.close();
});

/** An Automation, and a Session with a sandbox that is ready and idle. */
async function aVictim(): Promise<typeof victim> {
  const { client, namespace: home } = world;
  const key = { namespace: home, name: "work" };
  await client.create(Session, aSession({ metadata: key, spec: { idleTimeoutSeconds: 3_600 } }));
  await client.create(
    Prompt,
    aPrompt({ metadata: { ...key, name: "work-1" }, spec: { sessionRef: { name: "work" } } }),
  );
  await until("the victim's prompt has ended", async () => {
    const prompt = await client.get(Prompt, { ...key, name: "work-1" });
    return conditionOf(prompt)?.status === "True";
  });
  await world.settled();
  const [automation, session] = await Promise.all([
    client.get(Automation, { ...key, name: "fix" }),
    client.get(Session, key),
  ]);
  return { automation, session, podName: session.status?.sandbox?.podName ?? "" };
}

/** What is stored outside of the editor's namespace, as far as our processes could write it. */
async function storedElsewhere(): Promise<string[]> {
  const { client, release } = world;
  const ofVictim: Resource<KubeObject>[] = [
    Automation,
    Run,
    Session,
    Prompt,
    pods,
    networkPolicies,
    serviceAccounts,
    secrets,
  ];
  const places = [
    ...ofVictim.map((kind) => [kind, world.namespace] as const),
    ...[release.keysNamespace, release.sessionsNamespace].map((where) => [secrets, where] as const),
    [leases, release.sessionsNamespace] as const,
  ];
  const lists = await Promise.all(
    places.map(async ([kind, where]) => {
      const { items } = await client.list<KubeObject>(kind, { namespace: where });
      return items.map(
        ({ metadata }) => `${kind.kind} ${where}/${metadata.name ?? ""} ${metadata.resourceVersion ?? ""}`,
      );
    }),
  );
  return lists.flat().sort();
}

const ours = "/apis/runwright.dev/v1alpha1";

type Forged = readonly [what: string, path: () => string, object: () => object, answer: number | undefined];

const of =
  (plural: string, base = ours) =>
  (): string =>
    `${base}/namespaces/${namespace}/${plural}`;
const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? "";
const ownerOf = (kind: string, { metadata }: KubeObject): object => {
  return { apiVersion: "runwright.dev/v1alpha1", kind, name: metadata.name, uid: metadata.uid };
};
const kinded = (kind: string, object: object): object => ({ apiVersion: "runwright.dev/v1alpha1", kind, ...object });
const runOf = (metadata: object, spec: Partial<Run["spec"]> = {}): object => kinded("Run", aRun({ metadata, spec }));
const sessionOf = (metadata: object, spec: Partial<Session["spec"]> = {}): object =>
  kinded("Session", aSession({ metadata, spec: { serviceAccountName: "runwright-sandbox", ...spec } }));
const sandboxLabels = (): object => ({
  [labels.component]: "sandbox",
  [labels.release]: releaseLabel({ name: "runwright", namespace: world.release.namespace }),
  [labels.sandboxClass]: "standard",
  [labels.attempt]: "1",
});
const podOf = (name: string, metadata: object): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "any", image: "any" }] },
});
const distant = (): object => ({
  [labels.sessionUid]: uidOf(victim.session),
  [labels.sessionName]: "work",
  [labels.sessionNamespace]: world.namespace,
});

const forged: readonly Forged[] = [
  [
    "a Run with the label of another's Automation",
    of("runs"),
    () => runOf({ name: "r1", labels: { [labels.automationUid]: uidOf(victim.automation) } }),
    201,
  ],
  [
    "a Run that names another's Automation by its UID",
    of("runs"),
    () => runOf({ name: "r2" }, { automationRef: { name: "fix", uid: uidOf(victim.automation) } }),
    201,
  ],
  [
    "a Run that another's Automation owns",
    of("runs"),
    () => runOf({ name: "r3", ownerReferences: [ownerOf("Automation", victim.automation)] }),
    201,
  ],
  [
    "a Run that is a copy of a skipped one",
    of("runs"),
    () =>
      runOf({
        name: "r4",
        annotations: {
          [annotations.skipped]: JSON.stringify({ uid: "u", cause: "x", message: "", time: "2026-05-04T10:15:00Z" }),
          [annotations.whilePaused]: "true",
        },
      }),
    403,
  ],
  [
    "a Run that is fired while its Automation is paused",
    of("runs"),
    () => runOf({ name: "r6", annotations: { [annotations.whilePaused]: "true" } }),
    201,
  ],
  [
    "a delivery's Run",
    of("runs"),
    () =>
      runOf(
        { name: "r5" },
        {
          trigger: { type: "Webhook", payload: "{}", deliveryID: "d" },
          automationRef: { name: "fix", uid: uidOf(victim.automation) },
        },
      ),
    201,
  ],
  ["a Session with the name of another's", of("sessions"), () => sessionOf({ name: "work" }), 201],
  [
    "a child of another's Session",
    of("sessions"),
    () =>
      sessionOf({
        name: "s1",
        labels: { [labels.parentUid]: uidOf(victim.session) },
        ownerReferences: [ownerOf("Session", victim.session)],
      }),
    201,
  ],
  [
    "a Session with the label of another's Run",
    of("sessions"),
    () => sessionOf({ name: "s2", labels: { [labels.runUid]: "u", [labels.automationUid]: uidOf(victim.automation) } }),
    201,
  ],
  [
    "a Prompt for another's Session",
    of("prompts"),
    () =>
      kinded(
        "Prompt",
        aPrompt({
          metadata: {
            name: "p1",
            labels: { [labels.sessionUid]: uidOf(victim.session) },
            ownerReferences: [ownerOf("Session", victim.session)] as never,
          },
          spec: { sessionRef: { name: "work" } },
        }),
      ),
    201,
  ],
  [
    "a Prompt that another is said to have asked for",
    of("prompts"),
    () =>
      kinded(
        "Prompt",
        aPrompt({
          metadata: { name: "p2", annotations: { [annotations.requestedBy]: "system:admin" } },
          spec: { sessionRef: { name: "work" } },
        }),
      ),
    403,
  ],
  [
    "a pod with the label of another's Session",
    of("pods", "/api/v1"),
    () => podOf("x1", { labels: { ...sandboxLabels(), ...distant() } }),
    403,
  ],
  [
    "a pod that another's Session owns",
    of("pods", "/api/v1"),
    () => podOf("x2", { labels: sandboxLabels(), ownerReferences: [ownerOf("Session", victim.session)] }),
    403,
  ],
  [
    "a pod with the labels of another kind of owner",
    of("pods", "/api/v1"),
    () =>
      podOf(victim.podName, {
        labels: {
          ...sandboxLabels(),
          [labels.ownerKind]: "Session",
          [labels.ownerName]: "work",
          [labels.ownerNamespace]: world.namespace,
        },
      }),
    403,
  ],
  ["a pod of another's class", of("pods", "/api/v1"), () => podOf("x3", { labels: sandboxLabels() }), 201],
  [
    "a bundle",
    of("secrets", "/api/v1"),
    () => ({
      metadata: { name: `${uidOf(victim.session)}-1`, labels: { ...sandboxLabels(), ...distant() } },
      type: "runwright.dev/bundle",
      data: {},
    }),
    201,
  ],
  [
    "the hash of another's key",
    of("secrets", "/api/v1"),
    () => ({
      metadata: {
        name: `automation-${uidOf(victim.automation)}`,
        labels: { [labels.automationUid]: uidOf(victim.automation), [labels.automationNamespace]: world.namespace },
      },
      data: {},
    }),
    201,
  ],
  [
    "a Lease that says another's sandbox has failed",
    of("leases", "/apis/coordination.k8s.io/v1"),
    () => ({
      metadata: {
        name: `${uidOf(victim.session)}-1`,
        labels: distant(),
        annotations: { [annotations.bootFailure]: '{"reason":"BootFailed"}', [annotations.costUsd]: "999" },
      },
      spec: {},
    }),
    201,
  ],
  [
    "a gateway's Lease",
    of("leases", "/apis/coordination.k8s.io/v1"),
    () => ({
      metadata: { name: "gateway-x", labels: { "runwright.dev/component": "gateway" } },
      spec: { holderIdentity: "x" },
    }),
    201,
  ],
  [
    "a policy that is the controller's own",
    of("networkpolicies", "/apis/networking.k8s.io/v1"),
    () => ({ metadata: { name: "runwright-sandbox", labels: sandboxLabels() }, spec: { podSelector: {} } }),
    201,
  ],
  [
    "the account of sessions",
    of("serviceaccounts", "/api/v1"),
    () => ({ metadata: { name: "runwright-sandbox", labels: sandboxLabels() } }),
    201,
  ],
];

it.each(forged)("%s changes nothing outside of the editor's namespace", async (_, path, object, status) => {
  const before = await storedElsewhere();
  const proxies = Object.values(world.proxies);
  const counts = proxies.map(({ seen }) => seen.length);
  const answer: ApiAnswer = await api.send("POST", path(), object());
  expect(answer).toMatchObject({ status });
  await world.settled();
  expect(await storedElsewhere()).toEqual(before);
  const since = proxies.flatMap(({ seen }, index) => seen.slice(counts[index]));
  expect(
    since.filter(({ isWrite, path: written }) => isWrite && written.includes(`/namespaces/${world.namespace}/`)),
  ).toEqual([]);
});

it.each([
  ["sessions", "work", { sandbox: { attempt: 1, podName: "x", createTime: "2026-05-04T10:15:00Z" } }],
  ["runs", "r1", { startTime: "2026-05-04T10:15:00Z" }],
  ["prompts", "p1", { startTime: "2026-05-04T10:15:00Z" }],
])("no status of %s is the editor's to write", async (plural, name, status) => {
  const answer = await api.send("PATCH", `${of(plural)()}/${name}/status`, { status });
  expect(answer).toMatchObject({ status: 403 });
});

it("starts nothing for the editor that the editor may not start", async () => {
  const { items } = await world.client.list(pods, { namespace });
  const made = items.filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === "Session"));
  expect(made.map(({ spec }) => spec?.serviceAccountName)).toEqual([]);
  const { items: runs } = await world.client.list(Run, { namespace });
  expect(runs.map((run) => conditionOf(run)?.status).filter((status) => status === "True")).toEqual([]);
});

import { apiVersion } from "../../../src/api/v1alpha1/index.ts";
import type { Process } from "../../../src/api/v1alpha1/process-policies.ts";
import { labels, sandboxAccountName } from "../../../src/api/v1alpha1/names.ts";
import { anAutomation, aPrompt, aSession } from "../../support/builders.ts";
import {
  coordination,
  core,
  keysNamespace,
  of,
  ours,
  release,
  sessionsNamespace,
  tenant,
  tokensNamespace,
} from "./tried.ts";

interface Stored {
  metadata: { name: string };
  /** Written after the object itself. */
  status?: object;
}

/** A deletion that a process tries, and words of the refusal where it may not. */
export type TriedDeletion = readonly [
  process: Process,
  what: string,
  path: string,
  stored: Stored,
  refused?: string | undefined,
];

const networkPolicies = of("/apis/networking.k8s.io/v1", "networkpolicies");
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const snapshots = of("/apis/snapshot.storage.k8s.io/v1", "volumesnapshots");
const secretsOf = (namespace: string): string => of(core, "secrets", namespace);

const sandbox = { [labels.component]: "sandbox" };
const podSpec = {
  serviceAccountName: "runner",
  automountServiceAccountToken: false,
  containers: [{ name: "a", image: "a" }],
};

function ownedBy(kind: string): object {
  return { ownerReferences: [{ apiVersion, kind, name: "o", uid: "u1" }] };
}

function aPod(name: string, metadata: object): Stored & object {
  return { metadata: { name, ...metadata }, spec: podSpec } as Stored;
}

function aPolicy(name: string, own: object = {}): Stored {
  return { metadata: { name, labels: own }, spec: { podSelector: {}, policyTypes: ["Ingress"] } } as Stored;
}

function aSecret(name: string): Stored {
  return { metadata: { name }, type: "Opaque" } as Stored;
}

function left(object: object, name: string, metadata: object = {}): Stored {
  return { ...object, metadata: { name, ...metadata } };
}

function aSnapshot(name: string, own: object = {}): Stored {
  const spec = { volumeSnapshotClassName: "c", source: { persistentVolumeClaimName: "p" } };
  return left({ spec }, name, { labels: own });
}

const image = { spec: { repositoryRef: { name: "r" }, sandboxClassName: "standard", serviceAccountName: "runner" } };
const run = { spec: { automationRef: { name: "fix" }, trigger: { type: "Manual" } } };
const event = {
  spec: {
    integrationRef: { name: "tracker", uid: "u1" },
    deliveryID: "d1",
    receivedTime: "2026-05-04T10:15:00Z",
    linear: { action: "Created", agentSessionID: "s" },
  },
};

const conversation = { spec: { integrationRef: { name: "tracker", uid: "u1" }, subject: "issue/i1" } };
const lastTransitionTime = "2026-05-04T10:15:00Z";
const stalled = { type: "Stalled", status: "True", reason: "R", message: "m", lastTransitionTime };

/** What no process but the controller has a row for. */
const ofOthers: readonly (readonly [what: string, path: string, stored: Stored])[] = [
  ["a pod of the release", of(core, "pods", release.namespace), aPod("left", {})],
  ["a sandbox", of(core, "pods"), aPod("left", { labels: sandbox })],
  ["a NetworkPolicy of sandboxes", networkPolicies, aPolicy("runwright-sandbox", sandbox)],
  [
    "a NetworkPolicy of the release",
    of("/apis/networking.k8s.io/v1", "networkpolicies", release.namespace),
    aPolicy("rw"),
  ],
  ["the hash of a key", secretsOf(keysNamespace), aSecret("automation-u1")],
  ["a bundle", secretsOf(sessionsNamespace), aSecret("u1-1")],
  ["a Service", of(core, "services", release.namespace), left({ spec: { ports: [{ port: 80 }] } }, "web")],
  ["a Lease", of(coordination, "leases", release.namespace), left({}, "runwright-leader")],
  ["an Automation", of(ours, "automations"), left(anAutomation({}), "left")],
  ["a Session", of(ours, "sessions"), left(aSession({}), "left")],
];

const mustBegin = "metadata.name: must begin with";
const copied = "metadata.name: the controller may not delete";
const noRow = "the controller may delete";

function ofSandboxes(what: string, path: string, rest: object = {}): TriedDeletion[] {
  const stored = (name: string): Stored => ({ ...rest, metadata: { name, labels: sandbox } }) as Stored;
  return [
    ["controller", `the ${what} of sandboxes`, path, stored(sandboxAccountName)],
    [
      "controller",
      `another ${what}`,
      path,
      stored("robot"),
      `metadata: the controller may delete ${sandboxAccountName}`,
    ],
  ];
}

/** A status with this verdict. */
function judged(status: "True" | "False" | "Unknown", rest: object = {}): { status: object } {
  return {
    status: { ...rest, conditions: [{ type: "Succeeded", status, reason: "R", message: "m", lastTransitionTime }] },
  };
}

const notBegun = "status: the controller may delete Runs";
const runs: readonly TriedDeletion[] = (
  [
    ["a completed Run", judged("True", { startTime: lastTransitionTime })],
    ["a Run that failed", judged("False", { startTime: lastTransitionTime })],
    ["a Run that was skipped", judged("False")],
    ["a Run whose Automation is gone", judged("Unknown", { startTime: lastTransitionTime })],
    ["a new Run", {}, notBegun],
    ["a Run that waits", judged("Unknown"), notBegun],
    ["a Run with another condition", { status: { conditions: [stalled] } }, notBegun],
  ] as const
).map(([what, rest, refused], at) => [
  "controller",
  what,
  of(ours, "runs"),
  left({ ...run, ...rest }, `run-${at}`),
  refused,
]);

const ofSession = { labels: { [labels.sessionUid]: "u1" } };
const atWork = "status: the controller may delete Prompts";
const prompts: readonly TriedDeletion[] = (
  [
    ["a completed Prompt", judged("True"), { ...ofSession, ...ownedBy("Session") }],
    ["a person's Prompt that failed", judged("False"), {}],
    ["a Prompt that its Session left behind", judged("Unknown"), ofSession],
    ["a new Prompt that its Session left behind", {}, ofSession],
    ["a Session's Prompt", judged("Unknown"), { ...ofSession, ...ownedBy("Session") }, atWork],
    ["a person's Prompt", judged("Unknown"), {}, atWork],
    ["a person's new Prompt", {}, {}, atWork],
  ] as const
).map(([what, rest, metadata, refused], at) => {
  const stored = left({ ...aPrompt({}), ...rest }, `prompt-${at}`, metadata);
  return ["controller", what, of(ours, "prompts"), stored, refused];
});

function ofSlack(action: string): { spec: object } {
  const { integrationRef, deliveryID, receivedTime } = event.spec;
  return { spec: { integrationRef, deliveryID, receivedTime, slack: { action, channelID: "" } } };
}

const unhandled = "status.settledTime: the connector may delete";
const unposted = "status.posts: the connector may delete";
const ofConnector: readonly TriedDeletion[] = [
  ...(
    [
      ["an IntegrationEvent that was handled", { status: { settledTime: lastTransitionTime } }],
      ["an opened Home tab", ofSlack("HomeOpened")],
      ["an IntegrationEvent", {}, unhandled],
      ["an IntegrationEvent of Slack's", ofSlack("Said"), unhandled],
      ["an IntegrationEvent at work", judged("Unknown"), unhandled],
    ] as const
  ).map(([what, rest, refused], at): TriedDeletion => {
    return ["connector", what, of(ours, "integrationevents"), left({ ...event, ...rest }, `event-${at}`), refused];
  }),
  ...(
    [
      ["a Conversation without a status", []],
      ["a Conversation without posts", [[]]],
      ["a Conversation whose posts are finished", [["Sent", "Dropped", "GivenUp"]]],
      ["a Conversation with a post that waits", [["Sent", "Waiting"]], unposted],
      ["a Conversation with a post that is due", [["Pending"]], unposted],
    ] as const
  ).map(([what, [progress], refused], at): TriedDeletion => {
    const posts = progress?.map((one, index) => ({
      id: `p${index}`,
      kind: "Note",
      eventUID: "e",
      progress: one,
      tries: 0,
    }));
    const stored = left({ ...conversation, ...(posts && { status: { posts } }) }, `conversation-${at}`);
    return ["connector", what, of(ours, "conversations"), stored, refused];
  }),
];

export const triedDeletions: readonly TriedDeletion[] = [
  ...(["ingress", "gateway", "connector"] as const).flatMap((process) =>
    ofOthers.map((one): TriedDeletion => [process, ...one, `the ${process} may delete`]),
  ),
  ...ofConnector,
  ...runs,
  ...prompts,
  ["controller", "a Run's Session", of(ours, "sessions"), left(aSession({}), "of-run", ownedBy("Run"))],
  ...([labels.runUid, labels.parentUid, labels.conversationUid] as const).map((label): TriedDeletion => {
    const name = `left-${label.split("/")[1] ?? ""}`;
    const session = left(aSession({}), name, { labels: { [label]: "u1" } });
    return ["controller", `a Session with the label ${label} that nothing owns`, of(ours, "sessions"), session];
  }),
  ["controller", "a person's Session", of(ours, "sessions"), left(aSession({}), "person"), "may delete Sessions that"],
  ["controller", "an Automation", of(ours, "automations"), left(anAutomation({}), "left-a"), noRow],
  [
    "controller",
    "a Repository's image",
    of(ours, "prebuiltimages"),
    left(image, "of-repository", ownedBy("Repository")),
  ],
  ["controller", "a person's image", of(ours, "prebuiltimages"), left(image, "person"), "metadata.ownerReferences"],
  ["controller", "a sandbox", of(core, "pods"), aPod("sandbox", { labels: sandbox })],
  ["controller", "a pod of a Session", of(core, "pods"), aPod("owned", ownedBy("Session"))],
  ["controller", "another pod", of(core, "pods"), aPod("web", { labels: { app: "web" } }), "pods of sandboxes alone"],
  ["controller", "a class's policy", networkPolicies, aPolicy("runwright-sandbox-standard", sandbox)],
  ["controller", "a person's policy", networkPolicies, aPolicy("deny-all", sandbox), "may delete NetworkPolicies"],
  [
    "controller",
    "a policy named like ours",
    networkPolicies,
    aPolicy("runwright-sandbox-x"),
    "may delete NetworkPolicies",
  ],
  ...ofSandboxes("ServiceAccount", of(core, "serviceaccounts")),
  ...ofSandboxes("Role", of(rbac, "roles"), { rules: [] }),
  ...ofSandboxes("RoleBinding", of(rbac, "rolebindings"), {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "runner" },
  }),
  ["controller", "a snapshot of a workspace", snapshots, aSnapshot("of-session", { [labels.sessionUid]: "u1" })],
  ["controller", "a build's snapshot", snapshots, aSnapshot("of-build", { [labels.ownerUid]: "u1" })],
  ["controller", "a person's snapshot", snapshots, aSnapshot("person"), "metadata.labels: the controller may delete"],
  ["controller", "the hash of a key", secretsOf(keysNamespace), aSecret("automation-u2")],
  ["controller", "another Secret beside it", secretsOf(keysNamespace), aSecret("other"), mustBegin],
  ["controller", "a credential's copy", secretsOf(tokensNamespace), aSecret("integration-u1")],
  ["controller", "another Secret beside it", secretsOf(tokensNamespace), aSecret("other"), mustBegin],
  ["controller", "a bundle", secretsOf(sessionsNamespace), aSecret("u2-1")],
  ["controller", "the gateway's certificate", secretsOf(sessionsNamespace), aSecret("gateway-tls"), copied],
  ["controller", "its authority", secretsOf(sessionsNamespace), aSecret("gateway-ca"), copied],
  ["controller", "the key of hashes", secretsOf(sessionsNamespace), aSecret("secrets-mac-key"), copied],
  ["controller", "a Secret of a tenant", secretsOf(tenant), aSecret("automation-u1"), noRow],
  [
    "controller",
    "the controller's Lease",
    of(coordination, "leases", release.namespace),
    left({}, "runwright-l"),
    noRow,
  ],
];

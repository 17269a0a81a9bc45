import { apiVersion } from "../../../src/api/v1alpha1/index.ts";
import { annotations, labels } from "../../../src/api/v1alpha1/names.ts";
import { pausePatch, resumePatch } from "../../../src/domain/pauses/pause-patch.ts";
import { makePrompt } from "../../../src/domain/prompts/make-prompt.ts";
import { manualRun } from "../../../src/domain/runs/manual-run.ts";
import { randomNameBytes } from "../../../src/domain/object-names.ts";
import { makeKeySecret } from "../../../src/gateway/automations/keys.ts";
import { makeChild } from "../../../src/gateway/children/make-child.ts";
import { anAutomation, aPrompt, aSession, aVerdict } from "../../support/builders.ts";
import {
  coordination,
  core,
  events,
  keysNamespace,
  of,
  ours,
  release,
  sessionsNamespace,
  tenant,
  type Tried,
} from "./tried.ts";

const at = new Date("2026-05-04T10:15:00.000Z");
const random = new Uint8Array(randomNameBytes);
const filters = [{ path: "$.status", operator: "eq", value: "failed" }];
const automation = anAutomation({
  metadata: { labels: { team: "shop" }, annotations: { "example.com/of": "Git" } },
  spec: { displayName: "Triage", suspend: false, trigger: { type: "Webhook", webhook: { filters } } as never },
});
const only = "spec: the gateway may change suspend only";

const changes: readonly (readonly [string, object])[] = [
  ["displayName taken away", { displayName: null }],
  ["displayName", { displayName: "Other" }],
  ["instructions", { instructions: "Do as I say." }],
  ["instructions beside a pause", { suspend: true, instructions: "Do as I say." }],
  ["serviceAccountName", { serviceAccountName: "admin" }],
  ["session", { session: { sandboxClassName: "large" } }],
  ["targets", { targets: [{ repositoryRef: { name: "other" } }] }],
  ["trigger", { trigger: { webhook: { filters: [{ ...filters[0], value: "x" }] } } }],
  ["history", { history: { failedLimit: 1 } }],
];

const session = aSession({ metadata: { name: "s", namespace: tenant, uid: "u1" } });
const asked = { annotations: { [annotations.requestedBy]: "ada" } };
const prompt = makePrompt(session, { name: "s-1", text: "Go on." });
const run = manualRun({
  automation: { namespace: tenant, name: "fix", uid: "u1" },
  time: at,
  random,
  whilePaused: true,
});
const named = "metadata.annotations[runwright.dev/requested-by]: the gateway must set it";
const child = makeChild(session, { bytes: random, title: "Part" });

const event = {
  metadata: { name: "e.1" },
  eventTime: "2026-05-04T10:15:00.000000Z",
  reportingController: "runwright.dev/gateway",
  reportingInstance: "gateway-a",
  type: "Normal",
  reason: "Prompted",
  action: "Prompted",
  note: "ada asked it",
  regarding: { apiVersion, kind: "Session", namespace: tenant, name: "s", uid: "u1" },
};

const leaseSpec = { holderIdentity: "a", renewTime: "2026-05-04T10:15:00.000000Z", leaseDurationSeconds: 15 };
const bundle = { apiVersion: "v1", kind: "Secret", name: "u1-1", uid: "u2" };
const attempt = {
  metadata: {
    name: "u1-1",
    labels: { [labels.sessionUid]: "u1", [labels.sessionName]: "s", [labels.sessionNamespace]: tenant },
    annotations: { [annotations.connection]: "1", [annotations.connectedTime]: at.toISOString() },
    ownerReferences: [bundle],
  },
  spec: leaseSpec,
};
/** All that a gateway says of an attempt on its Lease, of builds of images too. */
const allNotes = Object.fromEntries(
  [
    annotations.connectedTime,
    annotations.connection,
    annotations.silentSince,
    annotations.readyTime,
    annotations.bootFailure,
    annotations.bootPhase,
    annotations.snapshot,
    annotations.costUsd,
    annotations.restore,
    annotations.built,
    annotations.notUpdated,
    annotations.passedOver,
    annotations.tunnelTime,
    annotations.eventsLeftOut,
  ].map((annotation) => [annotation, "x"]),
);
const own = {
  metadata: {
    name: "gateway-pod",
    labels: { "runwright.dev/component": "gateway", [labels.release]: "runwright-system.runwright" },
    annotations: { [annotations.peopleAddress]: "10.0.0.1:8444", [annotations.waitingPods]: "u4,u5" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "pod", uid: "u3" }],
  },
  spec: leaseSpec,
};
const leaderName = "metadata.name: must be runwright-archive or begin with gateway-";
const leader = { metadata: { name: "runwright-controller" }, spec: leaseSpec };

const key = makeKeySecret({ metadata: { uid: "u1", namespace: tenant, name: "fix" } }, "k".repeat(40), keysNamespace);
const isData = "data: the gateway may set sha256, signing-secret and previous-signing-secret only";
const changedData = "data: the gateway may change sha256, signing-secret and previous-signing-secret only";
const other = Buffer.from("x").toString("base64");

export const gatewayTried: readonly Tried[] = [
  ...[pausePatch(), resumePatch({ spec: { suspend: true } }, at)].map((object, index): Tried => {
    const refused = changes.map(([what, spec]) => [`of ${what}`, { spec }, only] as const);
    const kept = `metadata.annotations: the gateway may change ${annotations.resumeRequestedAt} only`;
    return {
      process: "gateway",
      write: "gateway-automations",
      path: of(ours, "automations"),
      stored: { ...automation, metadata: { ...automation.metadata, name: `fix-${index}` } },
      object,
      refused: [
        ...refused,
        ["of an annotation", { metadata: { annotations: { "example.com/of": "x" } } }, kept],
        ["of all annotations", { metadata: { annotations: null } }, kept],
        ["of a label", { metadata: { labels: { team: "mine" } } }, "metadata: the gateway may change neither labels"],
        ["of all labels", { metadata: { labels: null } }, "metadata: the gateway may change neither labels"],
      ],
    };
  }),
  {
    process: "gateway",
    write: "gateway-runs",
    path: of(ours, "runs"),
    object: {
      ...run,
      metadata: { ...run.metadata, annotations: { ...run.metadata.annotations, ...asked.annotations } },
    },
    refused: [
      ["of a delivery", { spec: { trigger: { type: "Webhook" } } }, "spec.trigger.type: must be Manual"],
      ...["deliveryID", "idempotencyKey", "payload"].map(
        (field) =>
          [
            `of a delivery's ${field}`,
            { spec: { trigger: { type: "Webhook", [field]: "x" } } },
            "spec.trigger",
          ] as const,
      ),
      ["of a slot", { spec: { trigger: { type: "Schedule" } } }, "spec.trigger.type: must be Manual"],
      ["of a late slot", { spec: { trigger: { type: "Schedule", firedTime: at.toISOString() } } }, "spec.trigger"],
      ["that names no requester", { metadata: { annotations: null } }, "metadata.annotations"],
      [
        "that names no requester beside others",
        { metadata: { annotations: { [annotations.requestedBy]: null } } },
        named,
      ],
      [
        "that says it is a replay",
        { metadata: { annotations: { [annotations.replayOf]: "d" } } },
        "metadata.annotations",
      ],
      [
        "that says it is a copy",
        { metadata: { annotations: { [annotations.skipped]: "{}" } } },
        "metadata.annotations",
      ],
      [
        "of another's label",
        { metadata: { labels: { [labels.automationUid]: "u2" } } },
        "metadata.labels: the gateway may set",
      ],
      [
        "of a generation",
        { spec: { automationRef: { generation: 7 } } },
        "spec.automationRef: the gateway may set name and uid only",
      ],
    ],
  },
  {
    process: "gateway",
    write: "gateway-prompts",
    path: of(ours, "prompts"),
    object: { ...prompt, metadata: { ...prompt.metadata, ...asked } },
    refused: [
      ["that names no requester", { metadata: { annotations: { [annotations.requestedBy]: null } } }, "requested-by"],
      ["of feedback", { spec: { origin: "PullRequestFeedback" } }, "spec: the gateway may set"],
      [
        "of another session's",
        { spec: { sessionRef: { name: "t" } } },
        "the gateway must set the Session as the one owner",
      ],
      ["of another's label", { metadata: { labels: { [labels.sessionUid]: "u2" } } }, "must be the owner's UID"],
    ],
  },
  {
    process: "gateway",
    write: "gateway-prompt-changes",
    path: of(ours, "prompts"),
    stored: { ...prompt, metadata: { ...prompt.metadata, ...asked, name: "s-2" } },
    object: { spec: { cancel: true } },
    refused: [
      ...Object.entries({
        sessionRef: { name: "t" },
        text: "Other.",
        origin: "PullRequestFeedback",
        images: [{ name: "a", mediaType: "image/png", sha256: "a".repeat(64), bytes: 1 }],
      }).map(([field, value]) => [`of ${field}`, { spec: { [field]: value } }, ""] as const),
      [
        "of who asked",
        { metadata: { annotations: { [annotations.requestedBy]: "eve" } } },
        `metadata.annotations: the gateway may change ${annotations.pullRequestRequestedAt} only`,
      ],
      ["of its owner", { metadata: { ownerReferences: [] } }, "metadata: the gateway may change"],
    ],
  },
  {
    process: "gateway",
    write: "gateway-prompt-changes",
    path: of(ours, "prompts"),
    stored: { ...prompt, metadata: { ...prompt.metadata, ...asked, name: "s-4" } },
    object: { metadata: { annotations: { [annotations.pullRequestRequestedAt]: at.toISOString() } } },
  },
  {
    process: "gateway",
    write: "gateway-prompt-ends",
    path: of(ours, "prompts"),
    stored: aPrompt({ metadata: { name: "s-3" } }),
    object: {
      status: {
        conditions: [aVerdict(true, "Completed", at)],
        completionTime: at.toISOString(),
        pullRequest: { title: "Fix", body: "" },
        media: { files: [], leftOut: 1 },
      },
    },
    subresource: "/status",
  },
  {
    process: "gateway",
    write: "gateway-sessions",
    path: of(ours, "sessions"),
    object: child,
    refused: [
      [
        "of a Run",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Run", name: "s", uid: "u1" }] } },
        "must set a Session as the one owner",
      ],
      ["of another's label", { metadata: { labels: { [labels.parentUid]: "u2" } } }, "to the owner's UID"],
      ["without a label", { metadata: { labels: null } }, "to the owner's UID"],
      ["of a Run's label", { metadata: { labels: { [labels.runUid]: "r" } } }, "to the owner's UID"],
      ["with skills of its own", { spec: { skills: { mode: "None" } } }, "spec: the gateway may set"],
      ["with the payload of a Run", { spec: { payloadRunRef: { name: "r" } } }, "spec: the gateway may set"],
    ],
  },
  {
    process: "gateway",
    write: "gateway-events",
    path: events,
    object: event,
    refused: [
      [
        "of another process",
        { reportingController: "runwright.dev/controller" },
        "reportingController: must be runwright.dev/gateway",
      ],
      ["of kubelets", { reportingController: "kubelet" }, "reportingController: must be"],
      [
        "about a pod",
        { regarding: { apiVersion: "v1", kind: "Pod" } },
        "regarding.apiVersion: must be runwright.dev/v1alpha1",
      ],
      ["related to a pod", { related: { apiVersion: "v1", kind: "Pod", name: "p" } }, "related.apiVersion: must be"],
      ["about a field of it", { regarding: { fieldPath: "spec" } }, "regarding: the gateway may set"],
    ],
  },
  {
    process: "gateway",
    write: "gateway-event-changes",
    path: events,
    stored: { ...event, metadata: { name: "e.2" } },
    object: { series: { count: 2, lastObservedTime: "2026-05-04T10:16:00.000000Z" } },
  },
  {
    process: "gateway",
    write: "gateway-attempts",
    path: of(coordination, "leases", sessionsNamespace),
    object: attempt,
  },
  {
    process: "gateway",
    write: "gateway-attempt-changes",
    path: of(coordination, "leases", sessionsNamespace),
    stored: { ...attempt, metadata: { ...attempt.metadata, name: "u1-2" } },
    object: { metadata: { annotations: allNotes }, spec: { renewTime: leaseSpec.renewTime } },
  },
  {
    process: "gateway",
    write: "gateway-leases",
    path: of(coordination, "leases", release.namespace),
    object: own,
    refused: [["of the controller's leader", { metadata: { name: "runwright-controller" } }, leaderName]],
  },
  {
    process: "gateway",
    write: "gateway-leases",
    path: of(coordination, "leases", release.namespace),
    object: {
      metadata: { name: "runwright-archive", annotations: { [annotations.stored]: "{}" } },
      spec: { ...leaseSpec, leaseTransitions: 0 },
    },
  },
  {
    process: "gateway",
    write: "gateway-lease-changes",
    path: of(coordination, "leases", release.namespace),
    stored: { ...own, metadata: { ...own.metadata, name: "gateway-stored" } },
    object: { metadata: { annotations: { [annotations.waitingPods]: "" } }, spec: { renewTime: leaseSpec.renewTime } },
  },
  {
    process: "gateway",
    write: "gateway-keys",
    path: of(core, "secrets", keysNamespace),
    object: key,
    refused: [
      [
        "that is a token of a ServiceAccount",
        {
          type: "kubernetes.io/service-account-token",
          metadata: { annotations: { "kubernetes.io/service-account.name": "default" } },
        },
        "metadata.annotations",
      ],
      ["of another type", { type: "example.com/other" }, "type: must be Opaque"],
      ["of another name", { metadata: { name: "other" } }, "metadata.name: must begin with automation-"],
      ["that never changes", { immutable: true }, "the gateway may set type and data only"],
      ["with other data", { data: { token: other } }, isData],
    ],
  },
  {
    process: "gateway",
    write: "gateway-key-changes",
    path: of(core, "secrets", keysNamespace),
    stored: { ...key, metadata: { ...key.metadata, name: "automation-u2" } },
    object: { metadata: { annotations: { [annotations.copiedFrom]: null } }, data: { sha256: other } },
    refused: [
      ["so that it never changes", { immutable: true }, "the gateway may change data only"],
      ["of other data", { data: { token: other } }, changedData],
    ],
  },
];

/** The controller's leadership, as the gateway would take it. */
export const takenLeadership = { stored: leader, message: leaderName };

import { apiVersion } from "../../../src/api/v1alpha1/index.ts";
import { annotations, keyHashDataKey, labels } from "../../../src/api/v1alpha1/names.ts";
import { makeKeyCopy } from "../../../src/controllers/automation/resources.ts";
import { makeSlotRun } from "../../../src/controllers/automation/slots/resources.ts";
import { makeAuthoritySecret, makeServingSecret } from "../../../src/controllers/certificates/secrets.ts";
import { makeFirstPrompt, makeSession } from "../../../src/controllers/run/resources.ts";
import { makeSkippedCopy } from "../../../src/controllers/run/skipped-copy.ts";
import { makeBundleSecret } from "../../../src/controllers/sandbox/bundle/bundle.ts";
import { sessionAsOwner } from "../../../src/controllers/sandbox/owner.ts";
import { makeSkillSecrets } from "../../../src/controllers/sandbox/skills/pieces.ts";
import type { Bundle } from "../../../src/api/runtime/bundle.ts";
import { anAutomation, aRun, aSession } from "../../support/builders.ts";
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
const automation = anAutomation({ metadata: { name: "fix", namespace: tenant, uid: "u1", generation: 1 } });
const run = aRun({
  metadata: { name: "fix-run", namespace: tenant, uid: "u2" },
  spec: { automationRef: { name: "fix", uid: "u1" }, trigger: { type: "Webhook", payload: "{}", idempotencyKey: "k" } },
});
const session = aSession({ metadata: { name: "s", namespace: tenant, uid: "u3" } });
const owner = sessionAsOwner(session);
const made = makeSession(run, { ...automation, spec: { ...automation.spec, targets: [] } }, 0);
const prompt = makeFirstPrompt(run, automation, session);
const types = "spec.trigger.type: the controller may create Runs of type Schedule, and copies of skipped ones";

const runs: readonly Tried[] = [
  {
    process: "controller",
    write: "controller-runs",
    path: of(ours, "runs"),
    object: makeSlotRun(automation, at, at),
    refused: [
      ["by hand", { spec: { trigger: { type: "Manual" } } }, types],
      ["of a delivery", { spec: { trigger: { type: "Webhook", payload: "{}" } } }, types],
      [
        "of a slot that starts while paused",
        { metadata: { annotations: { [annotations.whilePaused]: "true" } } },
        types,
      ],
    ],
  },
  { process: "controller", write: "controller-runs", path: of(ours, "runs"), object: makeSkippedCopy(run) },
  {
    process: "controller",
    write: "controller-run-changes",
    path: of(ours, "runs"),
    stored: { ...run, metadata: { ...run.metadata, uid: undefined, name: "stored" } },
    object: {
      metadata: { labels: { [labels.automationUid]: "u1" } },
      spec: { trigger: { payload: null, idempotencyKey: null } },
    },
    refused: [
      ...Object.entries({ type: "Manual", time: at.toISOString(), firedTime: at.toISOString(), deliveryID: "d" }).map(
        ([field, value]) => [`of trigger.${field}`, { spec: { trigger: { [field]: value } } }, ""] as const,
      ),
      ["of automationRef", { spec: { automationRef: { name: "other" } } }, "cannot change"],

      [
        "of another label of ours",
        { metadata: { labels: { [labels.runUid]: "u" } } },
        "metadata.labels: the controller may change",
      ],
    ],
  },
  {
    process: "controller",
    write: "controller-sessions",
    path: of(ours, "sessions"),
    object: made,
    refused: [
      [
        "of a Session",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Session", name: "s", uid: "u" }] } },
        "must set the Run as the one owner",
      ],
      [
        "of a child's label",
        { metadata: { labels: { [labels.parentUid]: "u" } } },
        "metadata.labels: the controller may set",
      ],
    ],
  },
  {
    process: "controller",
    write: "controller-prompts",
    path: of(ours, "prompts"),
    object: prompt,
    refused: [
      ["of another session's", { spec: { sessionRef: { name: "t" } } }, "must set the Session as the one owner"],
      [
        "that is cancelled",
        { spec: { cancel: true } },
        "spec: the controller may set sessionRef, text and images only",
      ],
      ["of feedback", { spec: { origin: "PullRequestFeedback" } }, "spec: the controller may set sessionRef"],
    ],
  },
];

const imageSpec = { repositoryRef: { name: "shop" }, sandboxClassName: "standard", serviceAccountName: "builder" };
const imageOwner = "metadata.ownerReferences: must name the Repository or Environment that the image is of";

const prebuiltImages: readonly Tried[] = [
  {
    process: "controller",
    write: "controller-prebuilt-images",
    path: of(ours, "prebuiltimages"),
    object: {
      metadata: { name: "shop", ownerReferences: [{ apiVersion, kind: "Repository", name: "shop", uid: "u" }] },
      spec: imageSpec,
    },
    refused: [
      [
        "of another Repository",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Repository", name: "other", uid: "u" }] } },
        imageOwner,
      ],
      [
        "of an Environment of the name",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Environment", name: "shop", uid: "u" }] } },
        imageOwner,
      ],
      ["that a person could have made", { metadata: { ownerReferences: null } }, imageOwner],
    ],
  },
  {
    process: "controller",
    write: "controller-prebuilt-images",
    path: of(ours, "prebuiltimages"),
    object: {
      metadata: { name: "all", ownerReferences: [{ apiVersion, kind: "Environment", name: "all", uid: "u" }] },
      spec: { ...imageSpec, repositoryRef: undefined, environmentRef: { name: "all" } },
    },
  },
  {
    process: "controller",
    write: "controller-prebuilt-image-changes",
    path: of(ours, "prebuiltimages"),
    stored: { metadata: { name: "changed" }, spec: imageSpec },
    object: { spec: { sandboxClassName: "large", serviceAccountName: "other" } },
    refused: [
      ["of what it is of", { spec: { repositoryRef: { name: "other" } } }, "cannot change"],
      ["to an Environment", { spec: { repositoryRef: null, environmentRef: { name: "all" } } }, "cannot change"],
      ["that a person suspends", { spec: { suspend: true } }, "spec: the controller may change"],
    ],
  },
];

const key = makeKeyCopy(automation, { state: "found", dataKey: keyHashDataKey, value: "a".repeat(64) }, keysNamespace);
const pair = { cert: "CERT", key: "KEY" };
const where = { sessionsNamespace, release, namespace: tenant };
const bundle = { version: 1, session: { namespace: tenant, name: "s", uid: "u3", attempt: 1 } } as Bundle;
const token = {
  type: "kubernetes.io/service-account-token",
  metadata: { annotations: { "kubernetes.io/service-account.name": "default" } },
};
const other = Buffer.from("x").toString("base64");
const kept = makeSkillSecrets({ digest: `sha256:${"a".repeat(64)}`, content: Buffer.from("x") }, where);

const secrets: readonly Tried[] = [
  {
    process: "controller",
    write: "controller-keys",
    path: of(core, "secrets", keysNamespace),
    object: key,
    refused: [
      ["that is a token of a ServiceAccount", token, "metadata.annotations"],
      ["of another type", { type: "example.com/other" }, "type: must be Opaque"],
      ["with other data", { data: { token: other } }, "data: the controller may set sha256, signing-secret and"],
    ],
  },
  {
    process: "controller",
    write: "controller-key-changes",
    path: of(core, "secrets", keysNamespace),
    stored: { ...key, metadata: { ...key.metadata, name: "automation-stored" } },
    object: { metadata: { annotations: { [annotations.copiedFrom]: "a/b/c" } }, data: { sha256: other } },
    refused: [
      ["of other data", { data: { token: other } }, "data: the controller may change sha256, signing-secret and"],
    ],
  },
  ...[
    makeBundleSecret(owner, { bundle, githubApps: [] }, where),
    ...kept,
    makeAuthoritySecret(sessionsNamespace, [pair, pair]),
    makeServingSecret(sessionsNamespace, pair, [pair]),
  ].map((object): Tried => {
    return {
      process: "controller",
      write: "controller-secrets",
      path: of(core, "secrets", sessionsNamespace),
      object,
      refused: [
        ["that is a token of a ServiceAccount", { ...token, data: null }, "metadata: the controller may set"],
        ["of another type", { type: "example.com/other" }, "type: must be one of"],
        ["with other data", { data: { token: other } }, "data: the controller may set"],
      ],
    };
  }),
  {
    process: "controller",
    write: "controller-secret-changes",
    path: of(core, "secrets", sessionsNamespace),
    stored: makeServingSecret(sessionsNamespace, pair, [pair]),
    object: { data: { "tls.crt": other } },
    refused: [["so that it never changes", { immutable: true }, "the controller may change data only"]],
  },
];

const event = {
  metadata: { name: "c.1" },
  eventTime: "2026-05-04T10:15:00.000000Z",
  reportingController: "runwright.dev/controller",
  reportingInstance: "controller-a",
  type: "Normal",
  reason: "Started",
  action: "Started",
  note: "it began",
  regarding: { apiVersion, kind: "Run", namespace: tenant, name: "fix-run", uid: "u2" },
};
const lease = { holderIdentity: "a", renewTime: "2026-05-04T10:15:00.000000Z", leaseDurationSeconds: 15 };
const leader = { metadata: { name: "runwright-controller" }, spec: { ...lease, leaseTransitions: 0 } };
const authorities = { metadata: { name: "runwright-gateway-ca" } };

const own: readonly Tried[] = [
  {
    process: "controller",
    write: "controller-events",
    path: events,
    object: event,
    refused: [
      ["of another process", { reportingController: "runwright.dev/gateway" }, "must be runwright.dev/controller"],
      ["about a Secret", { regarding: { apiVersion: "v1", kind: "Secret" } }, "regarding.apiVersion: must be"],
    ],
  },
  {
    process: "controller",
    write: "controller-event-changes",
    path: events,
    stored: { ...event, metadata: { name: "c.2" } },
    object: { series: { count: 2, lastObservedTime: "2026-05-04T10:16:00.000000Z" } },
  },
  {
    process: "controller",
    write: "controller-leases",
    path: of(coordination, "leases", release.namespace),
    object: leader,
    refused: [["of a gateway", { metadata: { name: "gateway-pod" } }, "metadata.name: must be runwright-controller"]],
  },
  {
    process: "controller",
    write: "controller-lease-changes",
    path: of(coordination, "leases", release.namespace),
    stored: leader,
    object: { spec: { renewTime: lease.renewTime } },
  },
  {
    process: "controller",
    write: "controller-authorities",
    path: of(core, "configmaps", release.namespace),
    stored: authorities,
    object: { data: { "ca.crt": "OTHER" } },
    refused: [["of other data", { data: { token: "x" } }, "data: the controller may change ca.crt only"]],
  },
];

export const controllerTried: readonly Tried[] = [...runs, ...prebuiltImages, ...secrets, ...own];

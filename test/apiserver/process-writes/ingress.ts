import { apiVersion } from "../../../src/api/v1alpha1/index.ts";
import { makeRun } from "../../../src/domain/deliveries/make-run.ts";
import { of, ours, tenant, type Tried } from "./tried.ts";

const automation = { type: "Webhook", namespace: tenant, name: "fix", uid: "u1", generation: 1 } as const;
const delivery = {
  id: "d1",
  receivedAt: new Date("2026-05-04T10:15:00.000Z"),
  payload: "{}",
  idempotencyKey: "k",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
};
const type = "spec.trigger.type: must be one of Webhook, ErrorTracker";
const labelled = "metadata.labels: the ingress must set runwright.dev/automation-uid and runwright.dev/automation";
const trigger = { deliveryID: null, idempotencyKey: null, payload: null };
const log = {
  metadata: { name: "fix", ownerReferences: [{ apiVersion, kind: "Automation", name: "fix", uid: "u1" }] },
  spec: { refusals: [{ reason: "WrongKey", count: 1, lastTime: "2026-05-04T10:15:00Z" }] },
};

const integrationOwner = { apiVersion, kind: "Integration", name: "tracker", uid: "u1" };
const event = {
  metadata: { name: "tracker-aaaa", ownerReferences: [integrationOwner] },
  spec: {
    integrationRef: { name: "tracker", uid: "u1" },
    deliveryID: "d1",
    receivedTime: "2026-05-04T10:15:00Z",
    linear: { action: "Created", agentSessionID: "s" },
  },
};
const itsIntegration = "metadata.ownerReferences: the ingress must set the Integration of spec.integrationRef";

export const ingressTried: readonly Tried[] = [
  {
    process: "ingress",
    write: "ingress-integration-events",
    path: of(ours, "integrationevents"),
    object: event,
    refused: [
      ["of another integration", { spec: { integrationRef: { name: "other" } } }, itsIntegration],
      ["of another integration's UID", { spec: { integrationRef: { uid: "u2" } } }, itsIntegration],
      [
        "of an automation",
        { metadata: { ownerReferences: [{ ...integrationOwner, kind: "Automation" }] } },
        itsIntegration,
      ],
    ],
  },
  {
    process: "ingress",
    write: "ingress-runs",
    path: of(ours, "runs"),
    object: makeRun(automation, delivery, "fix-aaaa"),
    refused: [
      ["of type Manual", { spec: { trigger: { type: "Manual", ...trigger } } }, type],
      ["of type GitHub", { spec: { trigger: { type: "GitHub" } } }, type],
      ["of type Schedule", { spec: { trigger: { type: "Schedule", ...trigger } } }, type],
      [
        "of a late slot",
        { spec: { trigger: { firedTime: "2026-05-04T10:15:00Z" } } },
        "firedTime belongs to type Schedule only",
      ],
      ["with a further label", { metadata: { labels: { "runwright.dev/run-uid": "x" } } }, labelled],
      ["without labels", { metadata: { labels: null } }, labelled],
      ["of another automation's UID", { metadata: { labels: { "runwright.dev/automation-uid": "u2" } } }, labelled],
      ["of another automation's name", { metadata: { labels: { "runwright.dev/automation": "b" } } }, labelled],
      ["without the UID of its automation", { spec: { automationRef: { uid: null } } }, labelled],
      [
        "that starts while paused",
        { metadata: { annotations: { "runwright.dev/while-paused": "true" } } },
        "metadata.annotations: the ingress may set runwright.dev/traceparent only",
      ],
    ],
  },
  {
    process: "ingress",
    write: "ingress-delivery-logs",
    path: of(ours, "deliverylogs"),
    object: log,
    refused: [
      [
        "of another automation",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Automation", name: "other", uid: "u1" }] } },
        "metadata.ownerReferences: the Automation of the same name must be the only owner",
      ],
    ],
  },
  {
    process: "ingress",
    write: "ingress-delivery-log-changes",
    path: of(ours, "deliverylogs"),
    stored: log,
    object: { spec: { refusals: [] } },
  },
];

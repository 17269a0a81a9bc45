import type { NeededAccess } from "../http/access.ts";
import type { Operation } from "../http/router.ts";
import {
  AutomationPage,
  AutomationRights,
  Deliveries,
  DeliveryAddress,
  Example,
  InvocationPage,
  IssuedKey,
  OneAutomation,
  Triggered,
} from "./answers.ts";
import { AutomationQuery, InvocationQuery, KeyBody, SigningSecretBody, TriggerBody } from "./inputs.ts";

const oneAutomation = { 200: { description: "The automation as it is now.", body: OneAutomation } } as const;

const getAutomation: NeededAccess = { verb: "get", resource: "automations", to: "object" };
const patchAutomation: NeededAccess = { verb: "patch", resource: "automations", to: "object" };
const createKey: NeededAccess = { verb: "create", resource: "automations", subresource: "key", to: "object" };

export const automationOperations = {
  listAutomations: {
    method: "get",
    path: "/automations",
    summary: "Automations, newest first",
    permission: "list automations, in the namespace or in all",
    access: [{ verb: "list", resource: "automations", to: "query" }],
    query: AutomationQuery,
    success: { 200: { description: "A page, from a cache.", body: AutomationPage } },
  },
  getAutomation: {
    method: "get",
    path: "/automations/{id}",
    summary: "One automation with its instructions",
    permission: "get automations",
    access: [getAutomation],
    success: oneAutomation,
  },
  listInvocations: {
    method: "get",
    path: "/automations/{id}/invocations",
    summary: "Firings of an automation, newest first, also those that only the archive has",
    permission: "get automations and list runs",
    access: [getAutomation, { verb: "list", resource: "runs", to: "namespace" }],
    query: InvocationQuery,
    success: { 200: { description: "A page.", body: InvocationPage } },
  },
  listDeliveries: {
    method: "get",
    path: "/automations/{id}/deliveries",
    summary: "The last deliveries to an automation, and the decision about each",
    permission: "get automations and get deliverylogs",
    access: [getAutomation, { verb: "get", resource: "deliverylogs", to: "object" }],
    success: { 200: { description: "What the ingress has recorded.", body: Deliveries } },
  },
  exampleDelivery: {
    method: "get",
    path: "/automations/{id}/example",
    summary: "A command that sends a delivery which the filters of a webhook match",
    permission: "get automations",
    access: [getAutomation],
    success: { 200: { description: "With a new idempotency key each time, and without the key.", body: Example } },
    errors: ["NotAWebhook"],
  },
  automationRights: {
    method: "get",
    path: "/automations/{id}/rights",
    summary: "What the caller may do with an automation",
    permission: "get automations",
    access: [getAutomation],
    success: { 200: { description: "One answer for each operation, as RBAC is now.", body: AutomationRights } },
  },
  pauseAutomation: {
    method: "post",
    path: "/automations/{id}/pause",
    summary: "Pause an automation; active runs go on",
    permission: "patch automations, and impersonate its ServiceAccount since the spec changes",
    access: [patchAutomation],
    success: oneAutomation,
    errors: ["Conflict", "Refused"],
  },
  resumeAutomation: {
    method: "post",
    path: "/automations/{id}/resume",
    summary: "Resume an automation and reset its count of failures",
    permission: "patch automations, and impersonate its ServiceAccount if it was suspended",
    access: [patchAutomation],
    success: oneAutomation,
    errors: ["Conflict", "Refused"],
  },
  triggerAutomation: {
    method: "post",
    path: "/automations/{id}/trigger",
    summary: "Fire an automation by hand",
    permission: "get automations and create runs",
    access: [getAutomation, { verb: "create", resource: "runs", to: "namespace" }],
    body: TriggerBody,
    success: {
      201: { description: "It has started.", body: Triggered },
      202: { description: "It is recorded; the controller has not decided about it yet.", body: Triggered },
    },
    errors: ["AutomationPaused", "ConcurrentRunActive", "RunSkipped", "Conflict", "Refused"],
  },
  regenerateKey: {
    method: "post",
    path: "/automations/{id}/regenerate-key",
    summary: "Replace the API key or signing secret of a webhook automation",
    permission: "create automations/key",
    access: [createKey],
    body: KeyBody,
    success: { 200: { description: "The new key. No replica accepts the old one any more.", body: IssuedKey } },
    errors: ["NotAWebhook", "KeyExists", "KeyManagedBySecret", "Conflict"],
  },
  setSigningSecret: {
    method: "post",
    path: "/automations/{id}/signing-secret",
    summary: "Set the secret with which a sender signs its deliveries",
    permission: "create automations/key",
    access: [createKey],
    body: SigningSecretBody,
    success: { 200: { description: "Every replica takes signatures of the new secret.", body: DeliveryAddress } },
    errors: ["NotSigned", "KeyManagedBySecret", "Conflict"],
  },
} as const satisfies Record<string, Operation>;

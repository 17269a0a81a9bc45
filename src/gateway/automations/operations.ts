import { Nothing } from "../http/inputs.ts";
import type { Operation } from "../http/operation.ts";
import { AutomationPage, InvocationPage, IssuedKey, OneAutomation, Triggered } from "./answers.ts";
import { AutomationQuery, InvocationQuery, KeyBody, TriggerBody } from "./inputs.ts";

const oneAutomation = { 200: { says: "The automation as it is now.", body: OneAutomation } } as const;

export const automationOperations = {
  listAutomations: {
    id: "listAutomations",
    method: "get",
    path: "/automations",
    summary: "Automations, newest first",
    needs: "list automations, in the namespace or in all",
    query: AutomationQuery,
    body: Nothing,
    success: { 200: { says: "A page; at most a moment old.", body: AutomationPage } },
    errors: [],
  },
  getAutomation: {
    id: "getAutomation",
    method: "get",
    path: "/automations/{id}",
    summary: "One automation with its instructions",
    needs: "get automations",
    query: Nothing.loose(),
    body: Nothing,
    success: oneAutomation,
    errors: [],
  },
  listInvocations: {
    id: "listInvocations",
    method: "get",
    path: "/automations/{id}/invocations",
    summary: "Firings of an automation, newest first",
    needs: "get automations and list runs",
    query: InvocationQuery,
    body: Nothing,
    success: { 200: { says: "A page.", body: InvocationPage } },
    errors: [],
  },
  pauseAutomation: {
    id: "pauseAutomation",
    method: "post",
    path: "/automations/{id}/pause",
    summary: "Start nothing more; what runs goes on",
    needs: "patch automations, and impersonate its ServiceAccount since the spec changes",
    query: Nothing.loose(),
    body: Nothing,
    success: oneAutomation,
    errors: ["Conflict", "Refused"],
  },
  resumeAutomation: {
    id: "resumeAutomation",
    method: "post",
    path: "/automations/{id}/resume",
    summary: "End both kinds of pause and count failures anew",
    needs: "patch automations, and impersonate its ServiceAccount where a person had paused it",
    query: Nothing.loose(),
    body: Nothing,
    success: oneAutomation,
    errors: ["Conflict", "Refused"],
  },
  triggerAutomation: {
    id: "triggerAutomation",
    method: "post",
    path: "/automations/{id}/trigger",
    summary: "Fire an automation by hand",
    needs: "get automations and create runs",
    query: Nothing.loose(),
    body: TriggerBody,
    success: {
      201: { says: "It has started.", body: Triggered },
      202: { says: "It is recorded, and nobody has decided about it yet.", body: Triggered },
    },
    errors: ["AutomationPaused", "ConcurrentRunActive", "RunSkipped", "Conflict", "Refused"],
  },
  regenerateKey: {
    id: "regenerateKey",
    method: "post",
    path: "/automations/{id}/regenerate-key",
    summary: "Replace the API key of a webhook automation",
    needs: "create automations/key",
    query: Nothing.loose(),
    body: KeyBody,
    success: { 200: { says: "The new key. The old one is dead on every replica.", body: IssuedKey } },
    errors: ["NotAWebhook", "KeyExists", "KeyManagedBySecret", "Conflict"],
  },
} as const satisfies Record<string, Operation>;

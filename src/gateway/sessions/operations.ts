import type { NeededAccess } from "../http/access.ts";
import type { Operation } from "../http/router.ts";
import { Cancelled, OnePrompt, OneSession, PromptPage, SessionPage, SessionRights, Stopped } from "./answers.ts";
import { maxPromptBodyBytes, PromptBody, PromptQuery, SessionQuery } from "./inputs.ts";

const getSession: NeededAccess = { verb: "get", resource: "sessions", to: "object" };
const listPrompts: NeededAccess = { verb: "list", resource: "prompts", to: "namespace" };
const patchPrompts: NeededAccess = { verb: "patch", resource: "prompts", to: "namespace" };

export const sessionOperations = {
  listSessions: {
    method: "get",
    path: "/sessions",
    summary: "Sessions, newest first",
    permission: "list sessions, in the namespace or in all",
    access: [{ verb: "list", resource: "sessions", to: "query" }],
    query: SessionQuery,
    success: { 200: { description: "A page, from a cache.", body: SessionPage } },
  },
  getSession: {
    method: "get",
    path: "/sessions/{id}",
    summary: "One session",
    permission: "get sessions",
    access: [getSession],
    success: { 200: { description: "The session as it is now.", body: OneSession } },
  },
  sessionRights: {
    method: "get",
    path: "/sessions/{id}/rights",
    summary: "What the caller may do with a session",
    permission: "get sessions",
    access: [getSession],
    success: { 200: { description: "One answer for each operation, as RBAC is now.", body: SessionRights } },
  },
  stopSession: {
    method: "post",
    path: "/sessions/{id}/stop",
    summary: "Cancel the prompt that is processed; queued ones go on",
    permission: "get sessions and patch prompts",
    access: [getSession, patchPrompts],
    success: {
      200: { description: "Nothing is processed, or it has ended.", body: Stopped },
      202: { description: "It is being cancelled.", body: Stopped },
    },
    errors: ["Conflict", "Refused"],
  },
  cancelSession: {
    method: "post",
    path: "/sessions/{id}/cancel",
    summary: "Cancel all unfinished prompts; the session stays and takes further ones",
    permission: "get sessions, list prompts and patch prompts",
    access: [getSession, listPrompts, patchPrompts],
    success: {
      200: { description: "All of them have ended.", body: Cancelled },
      202: { description: "They are being cancelled.", body: Cancelled },
    },
    errors: ["Conflict", "Refused"],
  },
  listPrompts: {
    method: "get",
    path: "/sessions/{id}/prompts",
    summary: "Prompts of a session, newest first, without their texts",
    permission: "get sessions and list prompts",
    access: [getSession, listPrompts],
    query: PromptQuery,
    success: { 200: { description: "A page.", body: PromptPage } },
  },
  createPrompt: {
    method: "post",
    path: "/sessions/{id}/prompts",
    summary: "Send a prompt to a session",
    permission: "create prompts",
    access: [{ verb: "create", resource: "prompts", to: "namespace" }],
    body: PromptBody,
    maxBodyBytes: maxPromptBodyBytes,
    success: {
      201: { description: "It was accepted.", body: OnePrompt },
      202: { description: "It is stored; the controller has not decided about it yet.", body: OnePrompt },
    },
    errors: ["ImageNotFound", "QueueFull", "RequestConflict", "CostLimitReached", "Conflict", "Refused"],
  },
  getPrompt: {
    method: "get",
    path: "/sessions/{id}/prompts/{promptId}",
    summary: "One prompt with its text",
    permission: "get prompts",
    access: [{ verb: "get", resource: "prompts", to: "prompt" }],
    success: { 200: { description: "The prompt as it is now.", body: OnePrompt } },
  },
  cancelPrompt: {
    method: "post",
    path: "/sessions/{id}/prompts/{promptId}/cancel",
    summary: "Cancel a prompt, queued or processed",
    permission: "patch prompts",
    access: [{ verb: "patch", resource: "prompts", to: "prompt" }],
    success: {
      200: { description: "It has ended; its status says how.", body: OnePrompt },
      202: { description: "It is being cancelled.", body: OnePrompt },
    },
    errors: ["Conflict", "Refused"],
  },
} as const satisfies Record<string, Operation>;

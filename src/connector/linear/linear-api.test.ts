import { Buffer } from "node:buffer";

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { type Integration, labels } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { CallEnd } from "../call-observer.ts";
import { failureReasonOf } from "../failure-reason.ts";
import { createActivity, readIssue, readOrganization } from "./documents.ts";
import { LinearApi } from "./linear-api.ts";
import { LinearTokens } from "./tokens.ts";

const integration = { metadata: { name: "tracker", uid: "t" }, spec: {} } as Integration;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const secret = {
  metadata: { labels: { [labels.integrationUid]: "t" } },
  data: { "client-id": base64("id"), "client-secret": base64("planted-secret") },
};

interface Answer {
  status: number;
  json: object;
}

const token = (scope?: unknown): Answer => ({
  status: 200,
  json: { access_token: "planted-token", expires_in: 2_591_999, ...(scope !== undefined && { scope }) },
});
const shown: Answer = { status: 200, json: { data: { agentActivityCreate: { success: true } } } };
const refusal = (error: string, status = 400): Answer => ({ status, json: { error } });
const graphQlError = (message: string, code: string, status = 200): Answer => ({
  status,
  json: { data: null, errors: [{ message, extensions: { code } }] },
});
const expired = graphQlError("no", "AUTHENTICATION_ERROR", 401);

let answers: { token: Answer; call: Answer[] };
let ends: CallEnd[];
let linear: LinearApi;

beforeEach(() => {
  answers = { token: token(), call: [shown] };
  ends = [];
  vi.spyOn(globalThis, "fetch").mockImplementation((url) => {
    const isToken = url === "https://linear.invalid/oauth/token";
    const { status, json } = isToken ? answers.token : (answers.call.shift() ?? shown);
    return Promise.resolve(Response.json(json, { status }));
  });
  const client = { find: () => Promise.resolve(secret) } as never;
  const deps = { clock: new FakeClock(), linearUrl: "https://linear.invalid" };
  linear = new LinearApi({
    ...deps,
    tokens: new LinearTokens({ ...deps, client, tokensNamespace: "tokens" }),
    observer: { called: (_integration, end) => void ends.push(end) },
  });
});
afterEach(() => vi.restoreAllMocks());

/** How a call ended: its reason and what it says. */
async function show(): Promise<string> {
  await linear
    .call(integration, createActivity, { input: { agentSessionId: "a", content: {} } })
    .catch(() => undefined);
  const error = ends.at(-1)?.error;
  return error ? `${failureReasonOf(error)}: ${error.message}` : "ok";
}

it.each([
  ["invalid_client", "CredentialsRefused: Linear refuses the client credentials with 400 (invalid_client)"],
  ["unauthorized_client", "AuthorizationNeeded: Linear refuses the client credentials with 400 (unauthorized_client)"],
  ["invalid_scope", "AuthorizationNeeded: Linear refuses the client credentials with 400 (invalid_scope)"],
  ["planted <secret>", "CredentialsRefused: Linear refuses the client credentials with 400"],
])("no token for the client with %j is %s", async (code, want) => {
  answers.token = refusal(code);
  expect(await show()).toBe(want);
});

it("a client that is refused with 401 is named so, and a limit of requests is none", async () => {
  answers.token = refusal("invalid_client", 401);
  expect(await show()).toBe("CredentialsRefused: Linear refuses the client credentials with 401 (invalid_client)");
  answers.token = graphQlError("slow down", "RATELIMITED", 400);
  expect(await show()).toMatch(/^ProviderThrottled: /);
});

it.each([
  ["read", "AuthorizationNeeded: Linear gives tokens without the scope write"],
  [["read", "comments:create"], "AuthorizationNeeded: Linear gives tokens without the scope write"],
  ["read write app:assignable", "ok"],
  ["read,write", "ok"],
  [["write"], "ok"],
  ["admin", "ok"],
  [7, "ok"],
  [undefined, "ok"],
])("a token with the scopes %j: %s", async (scope, want) => {
  answers.token = token(scope);
  expect(await show()).toBe(want);
});

it("a token that was revoked is replaced; where the new one is refused, too, the application needs authorization", async () => {
  answers.call = [expired, shown];
  expect(await show()).toBe("ok");
  answers.call = [expired, expired];
  expect(await show()).toMatch(/^AuthorizationNeeded: .*\(AUTHENTICATION_ERROR\).*not authorized any more$/);
});

it.each([
  ["Invalid scope: `write` required", "AuthorizationNeeded", "the application lacks the scope write"],
  ["Invalid scope", "AuthorizationNeeded", "the application lacks a scope"],
  ["Invalid scope: `<planted>`", "AuthorizationNeeded", "the application lacks a scope"],
  ["You do not have access to this team", "ProviderUnavailable", "with 200 (FORBIDDEN)"],
])("a call that is forbidden with %j is %s", async (message, reason, said) => {
  answers.call = [graphQlError(message, "FORBIDDEN"), graphQlError(message, "FORBIDDEN")];
  const told = await show();
  expect(told.startsWith(`${reason}: `)).toBe(true);
  expect(told.endsWith(said)).toBe(true);
});

it("what reads does not show that writing is allowed, but for a test of the connection", async () => {
  await show();
  await linear.call(integration, readIssue, { id: "i" }).catch(() => undefined);
  await linear.call(integration, readOrganization, {}).catch(() => undefined);
  expect(ends.map(({ operation, needsLess }) => [operation, needsLess])).toEqual([
    ["createActivity", false],
    ["issue", true],
    ["organization", false],
  ]);
});

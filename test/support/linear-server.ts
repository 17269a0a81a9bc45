import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import type { LinearDocument as Linear } from "@linear/sdk";
import { type FieldNode, Kind, parse, type SelectionSetNode } from "graphql";

import { notInDocuments } from "./linear-documents.ts";

/** An activity that people see at an agent session. */
export interface ShownActivity extends Pick<Linear.AgentActivityCreateInput, "agentSessionId"> {
  id: string;
  type: string;
  body: string;
  isEphemeral: boolean;
}

export interface LinearIssue extends Pick<Linear.Issue, "id" | "identifier" | "url" | "title" | "priorityLabel"> {
  description: string;
  stateId: string;
  teamId: string;
  projectId?: string;
  assigneeId?: string;
  labels: Pick<Linear.IssueLabel, "id" | "name">[];
  comments: { id: string; body: string; createdAt: string; userId: string }[];
}

type State = Pick<Linear.WorkflowState, "id" | "type" | "position">;

/** What happens to a call in place of the usual. `lose` carries it out and drops the answer. */
export type LinearFault = "drop" | "lose" | "hang" | "html" | "redirect" | "throttle" | "error" | "unauthorized";

type Hook = (operation: string, caller: string) => void | Promise<void>;

export interface LinearServer {
  readonly url: string;
  readonly organization: { id: string; name: string };
  readonly clientId: string;
  clientSecret: string;
  /** Names of the operations that were asked for, in order. */
  readonly calls: string[];
  /** Those that were refused as no document of the SDK allows them. */
  readonly refused: string[];
  /** In the order in which they were first shown. */
  readonly activities: ShownActivity[];
  readonly issues: Map<string, LinearIssue>;
  readonly states: Map<string, State & { teamId: string }>;
  suggestions: Pick<Linear.RepositorySuggestion, "confidence" | "repositoryFullName">[];
  /** Decides what happens to a call, by its operation or `token`. */
  fault: ((operation: string) => LinearFault | undefined) | undefined;
  /** Called before a call is carried out, and once it is and has no answer yet. */
  before: Hook | undefined;
  after: Hook | undefined;
  /** Callers at `/caller-NAME` whose process has ended: nothing of them is taken any more. */
  readonly dead: Set<string>;
  /** Takes no more connections until it is back. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** All tokens that were given out stop. */
  revokeTokens(): void;
  activitiesAt(agentSessionId: string): ShownActivity[];
  close(): Promise<void>;
}

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const activityTypes = ["thought", "elicitation", "action", "response", "error"];

interface CreatedActivity extends Pick<Linear.AgentActivityCreateInput, "agentSessionId"> {
  id: string;
  content: { type: string; body: string };
  ephemeral?: boolean;
}

class Refused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Linear's API as far as the connector calls it; it refuses what no document of the SDK asks for. */
export async function startLinearServer(): Promise<LinearServer> {
  const tokens = new Set<string>();
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [, caller = "", path] = /^(?:\/caller-(\w+))?(\/.*)$/.exec(request.url ?? "") ?? [];
    if (linear.dead.has(caller)) return void request.socket.destroy();
    const isToken = path === "/oauth/token";
    const sent = isToken
      ? undefined
      : (JSON.parse(body) as { query: string; operationName: string; variables: object });
    const operation = sent?.operationName ?? "token";
    linear.calls.push(operation);
    await linear.before?.(operation, caller);
    if (linear.dead.has(caller)) return void request.socket.destroy();
    const fault = linear.fault?.(operation);
    if (fault === "hang") return;
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "html")
      return void response.writeHead(200, { "content-type": "text/html" }).end("<html>login</html>");
    if (fault === "redirect") return void response.writeHead(302, { location: "http://127.0.0.2:1/" }).end();
    if (fault === "error") return void response.writeHead(500).end("{}");
    if (fault === "throttle") {
      response.setHeader("x-ratelimit-requests-reset", String(Date.now() + 1_000));
      json(response, 400, { errors: [{ message: "slow down", extensions: { code: "RATELIMITED" } }] });
      return;
    }
    if (isToken) {
      giveToken(response, new URLSearchParams(body));
      return;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (fault === "unauthorized" || !tokens.has(token)) {
      json(response, 401, { errors: [{ message: "no", extensions: { code: "AUTHENTICATION_ERROR" } }] });
      return;
    }
    const answered = resolve(sent!);
    await linear.after?.(operation, caller);
    if (fault === "lose") return void request.socket.destroy();
    json(response, answered.status, answered.body);
  };

  const giveToken = (response: ServerResponse, form: URLSearchParams): void => {
    const isRight = form.get("client_id") === linear.clientId && form.get("client_secret") === linear.clientSecret;
    if (form.get("grant_type") !== "client_credentials" || !isRight) {
      json(response, 400, { error: "invalid_client" });
      return;
    }
    const token = `lin_oauth_${String(tokens.size)}_${"x".repeat(40)}`;
    tokens.add(token);
    json(response, 200, { access_token: token, token_type: "Bearer", expires_in: 2_591_999, scope: form.get("scope") });
  };

  const resolve = ({ query, variables }: { query: string; variables: object }): { status: number; body: object } => {
    const problem = notInDocuments(query);
    if (problem !== undefined) {
      linear.refused.push(problem);
      return {
        status: 400,
        body: { errors: [{ message: problem, extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }] },
      };
    }
    try {
      return { status: 200, body: { data: resolveRoots(query, variables as Record<string, unknown>, roots) } };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: 200, body: { data: null, errors: [{ message: error.code, extensions: { code: error.code } }] } };
    }
  };

  const issueOf = (id: unknown): LinearIssue => {
    const found = linear.issues.get(String(id));
    if (!found) throw new Refused("ENTITY_NOT_FOUND");
    return found;
  };
  const commentsOf = (issue: LinearIssue, { first, last }: { first?: number; last?: number }): object => {
    const sorted = issue.comments.toSorted((left, right) => right.createdAt.localeCompare(left.createdAt));
    const part = last === undefined ? sorted.slice(0, first ?? 50) : sorted.slice(-last);
    return { nodes: part.map(({ userId, ...comment }) => ({ ...comment, user: { id: userId } })) };
  };
  const roots: Record<string, (args: Record<string, unknown>) => unknown> = {
    organization: () => linear.organization,
    issue({ id }) {
      const issue = issueOf(id);
      return {
        ...issue,
        team: { id: issue.teamId },
        state: { id: issue.stateId },
        project: issue.projectId === undefined ? null : { id: issue.projectId },
        assignee: issue.assigneeId === undefined ? null : { id: issue.assigneeId },
        labels: () => ({ nodes: issue.labels }),
        comments: (args: object) => commentsOf(issue, args),
      };
    },
    workflowState: ({ id }) => linear.states.get(String(id)) ?? refuse("ENTITY_NOT_FOUND"),
    project: ({ id }) => ({ id, name: `Project ${String(id).slice(0, 4)}` }),
    user: ({ id }) => ({ id, name: "Ann" }),
    team: ({ id }) => ({
      id,
      states: () => ({
        nodes: [...linear.states.values()].filter(({ teamId, type }) => teamId === id && type === "started"),
      }),
    }),
    issueUpdate({ id, input }) {
      issueOf(id).stateId = (input as { stateId: string }).stateId;
      return { success: true };
    },
    issueRepositorySuggestions: () => ({
      suggestions: linear.suggestions.map((one) => ({ hostname: "github.com", ...one })),
    }),
    agentActivity: ({ id }) => linear.activities.find((one) => one.id === id) ?? refuse("ENTITY_NOT_FOUND"),
    agentActivityCreate({ input }) {
      const { id, agentSessionId, content, ephemeral: isEphemeral = false } = input as CreatedActivity;
      const { type, body } = content;
      const isLasting = type !== "thought" && type !== "action";
      if (!uuidV4.test(id) || !activityTypes.includes(type) || typeof body !== "string" || body === "") {
        throw new Refused("INVALID_INPUT");
      }
      if (linear.activities.some((one) => one.id === id) || (isEphemeral && isLasting)) {
        throw new Refused("INVALID_INPUT");
      }
      linear.activities.push({ id, agentSessionId, type, body, isEphemeral });
      return { success: true };
    },
  };
  const refuse = (code: string): never => {
    throw new Refused(code);
  };

  const linear: LinearServer = {
    url: `http://127.0.0.1:${port}`,
    organization: { id: "0b9e1c1e-0000-4000-8000-000000000001", name: "Acme" },
    clientId: "client-1",
    clientSecret: "planted-client-secret",
    calls: [],
    refused: [],
    activities: [],
    issues: new Map(),
    states: new Map(),
    suggestions: [],
    fault: undefined,
    before: undefined,
    after: undefined,
    dead: new Set(),
    async goAway() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
    async comeBack() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    revokeTokens: () => tokens.clear(),
    activitiesAt: (agentSessionId) => linear.activities.filter((one) => one.agentSessionId === agentSessionId),
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return linear;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function resolveRoots(
  query: string,
  variables: Record<string, unknown>,
  roots: Record<string, (args: Record<string, unknown>) => unknown>,
): object {
  const [operation] = parse(query).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Refused("GRAPHQL_VALIDATION_FAILED");
  return selected(roots, operation.selectionSet, variables);
}

/** What a selection gives of an object; its functions take arguments. */
function selected(source: object, { selections }: SelectionSetNode, variables: Record<string, unknown>): object {
  const entries = selections.flatMap((selection) => {
    const field = selection as FieldNode;
    const include = field.directives?.find(({ name }) => name.value === "include")?.arguments?.[0]?.value;
    if (include?.kind === Kind.VARIABLE && variables[include.name.value] === false) return [];
    const args = Object.fromEntries(
      (field.arguments ?? []).map(({ name, value }) => [name.value, valueOf(value, variables)]),
    );
    const found = (source as Record<string, unknown>)[field.name.value];
    const value: unknown = typeof found === "function" ? (found as (args: object) => unknown)(args) : found;
    return [[field.alias?.value ?? field.name.value, below(value, field, variables)]];
  });
  return Object.fromEntries(entries) as object;
}

function below(value: unknown, { selectionSet }: FieldNode, variables: Record<string, unknown>): unknown {
  if (!selectionSet || value === null || value === undefined) return value ?? null;
  if (Array.isArray(value)) return value.map((one: object) => selected(one, selectionSet, variables));
  return selected(value, selectionSet, variables);
}

function valueOf(
  value: NonNullable<FieldNode["arguments"]>[number]["value"],
  variables: Record<string, unknown>,
): unknown {
  if (value.kind === Kind.VARIABLE) return variables[value.name.value];
  return value.kind === Kind.INT ? Number(value.value) : value;
}

import createClient from "openapi-fetch";
import type { PageSession } from "../page-server/page-session.ts";
import type { components, operations, paths } from "./generated/rest-api.ts";

/** The REST API below the page's own address, whose server takes no write without a media type, also where it has no body. */
export const api = createClient<paths>({ baseUrl: "/api", headers: { "content-type": "application/json" } });

type Schemas = components["schemas"];
export type Automation = Schemas["Automation"];
export type AutomationSummary = Schemas["AutomationSummary"];
export type Delivery = Schemas["Delivery"];
export type Filter = Schemas["Filter"];
export type Invocation = Schemas["Invocation"];
export type PromptSummary = Schemas["PromptSummary"];
export type Session = Schemas["Session"];
export type SessionEvent = Schemas["SessionEvent"];
export type Summary = Schemas["AnalyticsSummary"];
export type PullRequests = Schemas["AnalyticsPullRequests"];
export type Breakdown = Schemas["AnalyticsBreakdown"];

type Answer<Name extends keyof operations> = operations[Name]["responses"] extends {
  200: { content: { "application/json": infer Body } };
}
  ? Body
  : never;
export type AutomationRights = Answer<"automationRights">;
export type SessionRights = Answer<"sessionRights">;
export type PullRequestOfPrompt = Answer<"getPullRequest">;

/** Why a request came to nothing: `status` 0 where there was no answer. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The body of an answer. @throws Problem for anything but success */
export async function bodyOf<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await asked.catch(unreachable);
  if (data !== undefined && response.ok) return data;
  throw new Problem(response.status, messageOf(error) ?? `the gateway answered ${response.status}`);
}

function unreachable(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new Problem(0, "the server of this page cannot be reached");
}

function messageOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("error" in error)) return undefined;
  return typeof error.error === "string" ? error.error : undefined;
}

/** What the page's own server knows of this browser. @throws Problem */
export async function pageSession(): Promise<PageSession> {
  const response = await fetch("/page/session").catch(unreachable);
  if (!response.ok) throw new Problem(response.status, `the server of this page answered ${response.status}`);
  return (await response.json()) as PageSession;
}

/** Sends JSON to the page's own server. @throws Problem */
export async function postToPage(path: "/page/sign-in" | "/page/sign-out", body: object): Promise<void> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(unreachable);
  if (response.ok) return;
  const error: unknown = await response.json().catch(() => undefined);
  throw new Problem(response.status, messageOf(error) ?? `the server of this page answered ${response.status}`);
}

import { createAppAuth } from "@octokit/auth-app";
import { request as githubRequest } from "@octokit/request";
import type { z } from "zod";

import type { Clock } from "../../lib/clock.ts";
import { type AppKey, appJwt } from "../../lib/github-app-jwt.ts";
import { readAnswer } from "../answer-text.ts";
import { ProviderError } from "../provider-error.ts";

/** Milliseconds for a whole call. */
const callMs = 8_000;

export type Request = typeof githubRequest;

/** A call of GitHub's REST API; what comes back is parsed. */
export interface GitHubCall<Data> {
  /** Its name in metrics. */
  operation: string;
  /** Such as `GET /repos/{owner}/{repo}/issues/{issue_number}`. */
  route: string;
  parameters: Readonly<Record<string, unknown>>;
  answer: z.ZodType<Data>;
  /** Whether a refusal means that the App has not what the Integration says of it. */
  provesApp?: boolean;
}

/** What a call gives, and where there is more of a list. */
export interface Answered<Data> {
  data: Data;
  next: string | undefined;
}

/** Requests that nothing repeats; redirects are not followed, so that a token goes to the configured server alone. */
export function plainRequest({ githubUrl, clock }: { githubUrl: string; clock: Pick<Clock, "setTimeout"> }): Request {
  const limited = async (url: string, options: RequestInit): Promise<Response> => {
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), callMs);
    try {
      const response = await fetch(url, { ...options, redirect: "manual", signal: late.signal });
      const text = await readAnswer(response, options.method === "GET" ? "refused" : "unavailable");
      return new Response(text === "" ? null : text, response);
    } finally {
      timer.cancel();
    }
  };
  return githubRequest.defaults({
    baseUrl: githubUrl,
    headers: { "user-agent": "runwright", "x-github-api-version": "2022-11-28" },
    request: { fetch: limited, log: silent },
  });
}

/** The same, authenticated as an App. */
export function appRequest(request: Request, deps: Parameters<typeof appJwt>[0], app: AppKey): Request {
  const auth = createAppAuth({ appId: app.appId, createJwt: appJwt(deps, app), request, log: silent });
  return request.defaults({ request: { hook: auth.hook.bind(auth) } });
}

/** Performs a call. @throws ProviderError for an answer that is not as documented, or an error of the library's */
export async function perform<Data>(request: Request, call: GitHubCall<Data>): Promise<Answered<Data>> {
  const { operation, route, parameters, answer } = call;
  const response = await request(route, { ...parameters });
  const { status } = response;
  // Of what was renamed or moved away.
  if (status >= 300) throw new ProviderError("refused", `GitHub answered ${operation} with ${String(status)}`);
  const parsed = answer.safeParse(response.data);
  if (parsed.success) return { data: parsed.data, next: nextCursor(response.headers.link) };
  throw new ProviderError("unavailable", `GitHub's answer to ${operation} is not as documented`);
}

function nextCursor(link = ""): string | undefined {
  const [, cursor] = /<[^>]*[?&]cursor=([^&>]+)[^>]*>; *rel="next"/.exec(link) ?? [];
  return cursor === undefined ? undefined : decodeURIComponent(cursor);
}

/** The library warns on the console otherwise. */
const silent = { warn: (): void => undefined };

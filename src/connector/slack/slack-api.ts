import { type Logger, LogLevel, WebClient } from "@slack/web-api";

import { type Integration, slackCredentialKeys } from "../../api/v1alpha1/index.ts";
import { NotLeadingError } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { readAnswer } from "../answer-text.ts";
import type { CallEnd, CallObserver } from "../call-observer.ts";
import { type CredentialsDeps, credentialText, readCredentials } from "../credentials.ts";
import { ProviderError } from "../provider-error.ts";
import { retryAfterMs } from "../retry-after.ts";
import { type Download, downloadFile, usualWaitMs } from "./download.ts";
import { scopesIn } from "./missing-scopes.ts";
import { uploadFile } from "./media/upload-file.ts";
import { Pace } from "./pace.ts";
import { slackFailure } from "./slack-failure.ts";

export interface SlackApiDeps extends CredentialsDeps {
  clock: Pick<Clock, "monotonicMs" | "setTimeout">;
  /** Such as `https://slack.com`. */
  slackUrl: string;
  /** Sends what is called; left out, over the network. */
  fetch?: typeof fetch | undefined;
  observer: CallObserver;
  /** @throws NotLeadingError where another replica may post by now */
  assertLeading: () => void;
}

/** How long a token is used before the Secret is looked at again, so that a withdrawn one stops within a minute. */
const recheckMs = 60_000;
const callMs = 8_000;

interface Held {
  web: WebClient;
  token: string;
  /** That of all Integrations with the token, as Slack counts the posts of an app. */
  pace: Pace;
  checkedMs: number;
}

/** Calls Slack's Web API for an Integration. It repeats nothing, and follows no redirect. */
export class SlackApi {
  readonly #deps: SlackApiDeps;
  readonly #held = new Map<string, Held>();
  /** Scopes of apps, by UIDs of Integrations, as the last answer had them. */
  readonly #granted = new Map<string, readonly string[]>();

  constructor(deps: SlackApiDeps) {
    this.#deps = deps;
  }

  /** Calls a method; `operation` is its name for metrics. @throws ProviderError */
  call<T>(integration: Integration, operation: string, call: (web: WebClient) => Promise<T>): Promise<T> {
    return this.#observed(integration, { operation }, async () => call((await this.#heldFor(integration)).web));
  }

  /** Calls a method that posts into a channel, at the pace at which Slack takes posts of one app there. @throws ProviderError, NotLeadingError */
  post<T>(
    integration: Integration,
    { operation, channel }: { operation: string; channel: string },
    call: (web: WebClient) => Promise<T>,
  ): Promise<T> {
    return this.#observed(integration, { operation }, async () => {
      const { pace } = await this.#heldFor(integration);
      await pace.turn(channel);
      const { web } = await this.#heldFor(integration);
      this.#deps.assertLeading();
      return call(web);
    });
  }

  /** The content of a file of a message, or why it cannot be had. @throws ProviderError */
  download(integration: Integration, url: string, longestBytes: number): Promise<Download> {
    return this.#observed(integration, { operation: "files", neededBy: scopesNeededBy }, async () => {
      const { token } = await this.#heldFor(integration);
      return downloadFile(this.#deps, { url, token, longestBytes });
    });
  }

  /** Sends a file to the address that `files.getUploadURLExternal` gave for it. @throws ProviderError */
  upload(integration: Integration, url: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
    // The address alone is enough.
    const call = { operation: "files.upload", needsLess: true };
    return this.#observed(integration, call, () => uploadFile(this.#deps, { url, content }));
  }

  /** Drops what is kept of an Integration, by its UID. */
  forget(uid: string): void {
    this.#held.delete(uid);
    this.#granted.delete(uid);
  }

  async #observed<T>(
    integration: Integration,
    { neededBy, ...call }: Pick<CallEnd, "operation" | "needsLess"> & { neededBy?: (result: T) => readonly string[] },
    work: () => Promise<T>,
  ): Promise<T> {
    const { observer } = this.#deps;
    const { uid = "" } = integration.metadata;
    try {
      const result = await work();
      const granted = this.#granted.get(uid);
      const needed = granted ? neededBy?.(result) : undefined;
      observer.called(integration, { ...call, scopes: { needed: needed ?? [], granted } });
      return result;
    } catch (error) {
      if (error instanceof NotLeadingError) throw error;
      const failure = slackFailure(call.operation, error);
      // The next call reads the Secret, which may have a newer token.
      if (failure.failure === "credentials") this.#held.delete(uid);
      const scopes = { needed: failure.neededScopes, granted: this.#granted.get(uid) };
      observer.called(integration, { ...call, error: failure, scopes });
      throw failure;
    }
  }

  async #heldFor({ metadata: { uid = "" } }: Integration): Promise<Held> {
    const nowMs = this.#deps.clock.monotonicMs();
    const held = this.#held.get(uid);
    if (held && nowMs - held.checkedMs < recheckMs) return held;
    const token = credentialText(await readCredentials(this.#deps, uid), slackCredentialKeys.botToken);
    if (token === "") throw new ProviderError("credentials", "The Integration's credentials have no bot-token");
    const renewed: Held =
      held?.token === token
        ? { ...held, checkedMs: nowMs }
        : { web: this.#clientWith(uid, token), token, pace: this.#paceOf(token), checkedMs: nowMs };
    this.#held.set(uid, renewed);
    return renewed;
  }

  #paceOf(token: string): Pace {
    const sharer = [...this.#held.values()].find((other) => other.token === token);
    return sharer?.pace ?? new Pace(this.#deps.clock);
  }

  #clientWith(uid: string, token: string): WebClient {
    return new WebClient(token, {
      slackApiUrl: `${this.#deps.slackUrl}/api/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: callMs,
      allowAbsoluteUrls: false,
      logger: silent,
      fetch: async (url, init) => {
        const response = await (this.#deps.fetch ?? fetch)(url, init);
        const text = await readAnswer(response, isReading(url) ? "refused" : "unavailable");
        const granted = response.headers.get("x-oauth-scopes");
        if (granted !== null) this.#granted.set(uid, scopesIn(granted));
        return withWait(new Response(text, response));
      },
    });
  }
}

/** Without the scope Slack gives its page for signing in in place of a file, and says no more. */
function scopesNeededBy(download: Download): string[] {
  return "loss" in download && download.loss === "withheld" ? ["files:read"] : [];
}

/** Says how long to wait where Slack wants fewer calls, as the library takes its answer for none otherwise. */
function withWait(response: Response): Response {
  if (response.status !== 429) return response;
  const waitMs = retryAfterMs(response.headers.get("retry-after")) ?? usualWaitMs;
  response.headers.set("retry-after", String(Math.ceil(waitMs / 1_000)));
  return response;
}

/** Whether a call only reads messages, so that the same one fails again where its answer is too long. */
function isReading(url: Parameters<typeof fetch>[0]): boolean {
  return typeof url === "string" && url.endsWith("/conversations.replies");
}

/** The library writes to the console otherwise. */
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

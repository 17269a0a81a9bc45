import type { ChildAnswer } from "../../api/runtime/children.ts";
import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import {
  CredentialWanted,
  credentialsPath,
  longestCredentialRequest,
  type MintedCredential,
} from "../../api/runtime/git-credentials.ts";
import type { Clock } from "../../lib/clock.ts";
import { setNewest } from "../../lib/set-newest.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { attemptOf } from "../attempts/attempt.ts";
import { type Asking, parsed, type RequestKind } from "../attempts/attempt-requests.ts";
import { type Bundles, BundleUnavailableError } from "../attempts/bundles.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";
import type { TokenMint } from "./token-mint.ts";

interface Deps {
  apps: Pick<Bundles, "githubApps">;
  mint: Pick<TokenMint, "mint">;
  clock: Clock;
  logger: Logger;
}

/** Tokens per session: enough for ten repositories twice at once, and again every half hour. */
const rate = { burst: 20, perSecond: 1 / 60 };
/** Sessions whose rate is remembered; the least recent one is forgotten first, when its budget is full again. */
const mostRemembered = 10_000;

/** Mints credentials for the repositories of the session whose sandbox requests them. */
export class CredentialRequests implements RequestKind {
  readonly path = credentialsPath;
  readonly maxBytes = longestCredentialRequest;
  readonly #deps: Deps;
  readonly #budgets = new Map<string, FrameBudget>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async handle(body: unknown, { owner, attempt, signal }: Asking): Promise<ChildAnswer> {
    const { repository } = parsed(CredentialWanted, body);
    const { apps, mint, logger } = this.#deps;
    const known = await apps.githubApps(attemptOf(owner, attempt)).catch((error: unknown) => {
      throw error instanceof BundleUnavailableError ? new SandboxError(503, "Unavailable", error.message) : error;
    });
    const app = known.find(({ name }) => name === repository);
    if (!app) {
      throw new SandboxError(404, "NotFound", "the session has no repository of this name with a GitHub App");
    }
    if (!this.#hasLeft(owner.metadata.uid ?? "")) {
      throw new SandboxError(429, "TooManyRequests", "the session has had too many credentials minted; wait a minute");
    }
    const { namespace = "", name } = owner.metadata;
    const minted: MintedCredential = await mint.mint(app, namespace, signal);
    logger.info({ session: name, namespace, attempt, repository, appID: app.appID }, "Minted a git credential");
    return { status: 200, body: minted };
  }

  #hasLeft(sessionUid: string): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    const budget = this.#budgets.get(sessionUid) ?? new FrameBudget(rate, nowMs);
    setNewest(this.#budgets, sessionUid, budget, mostRemembered);
    return budget.take(nowMs);
  }
}

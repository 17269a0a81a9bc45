import { createHash } from "node:crypto";

import type { KubeClient } from "../../kube/client.ts";
import { type TokenReview, tokenReviews } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import { setNewest } from "../../lib/set-newest.ts";
import { FairShares } from "../../lib/fair-shares.ts";

/** The bearer of a token, as the API server reviewed it. */
export interface ReviewedUser {
  username: string;
  uid: string | undefined;
  groups: readonly string[];
  extra: Readonly<Record<string, readonly string[]>>;
  /** The requested audiences that the token is valid for. */
  audiences: readonly string[];
}

/** A token to review. */
interface AskedReview {
  token: string;
  /** Left out: the API server's own. */
  audiences?: readonly string[];
  /** Who shares the reviews under way: such as the address or the namespace that asks. */
  sharer: string;
  signal?: AbortSignal | undefined;
}

/** Too many reviews are under way; the caller may try again. */
export class ReviewsBusyError extends Error {
  override readonly name = "ReviewsBusyError";
}

/** Characters; the API server issues no longer tokens. */
const longestToken = 16_384;
/** Concurrent reviews, of which one sharer has half at most; every request to a port causes one. */
export const mostReviews = 128;
const timeoutMs = 5_000;
/** Tokens whose refusal is remembered; the oldest is forgotten beyond. */
const mostRemembered = 4_096;

interface Deps {
  client: Pick<KubeClient, "create">;
  clock: Pick<Clock, "monotonicMs">;
  /** Milliseconds for which a token that was not accepted is refused without another review. */
  rememberMs: number;
  /** Counts what finds its sharer's part of the reviews taken. */
  refused?: (() => void) | undefined;
}

/** Reviews tokens by the API server; what it has refused it is not asked about again at once. */
export class TokenReviews {
  readonly #deps: Deps;
  readonly #shares: FairShares;
  /** Until when, by the digest of token and audiences. */
  readonly #refusedUntilMs = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#shares = new FairShares({ places: mostReviews, refused: deps.refused });
  }

  /**
   * The token's bearer, or undefined when the token is not valid for any of these audiences.
   * @throws KubeError when the API server does not answer, ReviewsBusyError
   */
  async review({ token, audiences = [], sharer, signal }: AskedReview): Promise<ReviewedUser | undefined> {
    if (token === "" || token.length > longestToken) return undefined;
    const { client, clock, rememberMs } = this.#deps;
    const key = createHash("sha256")
      .update(JSON.stringify([token, audiences]))
      .digest("base64");
    if (clock.monotonicMs() < (this.#refusedUntilMs.get(key) ?? 0)) return undefined;
    const free = this.#shares.take(sharer);
    if (!free) throw new ReviewsBusyError("too many token reviews are under way");
    try {
      const spec = { token, ...(audiences.length > 0 ? { audiences: [...audiences] } : {}) };
      const review = await client.create<TokenReview>(tokenReviews, { metadata: {}, spec }, { timeoutMs, signal });
      const user = userOf(review);
      if (!user) setNewest(this.#refusedUntilMs, key, clock.monotonicMs() + rememberMs, mostRemembered);
      return user;
    } finally {
      free();
    }
  }
}

function userOf({ status }: TokenReview): ReviewedUser | undefined {
  if (status?.authenticated !== true || !status.user) return undefined;
  const { username = "", uid, groups = [], extra = {} } = status.user;
  return { username, uid, groups, extra, audiences: status.audiences ?? [] };
}

/** The token of an `Authorization: Bearer …` header; the scheme's case does not matter. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(header ?? "")?.[1];
}

/** The UID of the pod that a token is bound to. */
export function boundPodUid(user: ReviewedUser): string | undefined {
  return user.extra["authentication.kubernetes.io/pod-uid"]?.[0];
}

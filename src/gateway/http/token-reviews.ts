import type { KubeClient } from "../../kube/client.ts";
import { type TokenReview, tokenReviews } from "../../kube/core-resources.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

/** The bearer of a token, as the API server reviewed it. */
export interface ReviewedUser {
  username: string;
  uid: string | undefined;
  groups: readonly string[];
  extra: Readonly<Record<string, readonly string[]>>;
  /** The requested audiences that the token is valid for. */
  audiences: readonly string[];
}

/** Too many reviews are under way; the caller may try again. */
export class ReviewsBusyError extends Error {
  override readonly name = "ReviewsBusyError";
}

/** Characters; the API server issues no longer tokens. */
const longestToken = 16_384;
/** Concurrent reviews; every request to a port causes one. */
const mostReviews = 64;
const timeoutMs = 5_000;

/** Reviews tokens by the API server. */
export class TokenReviews {
  readonly #client: KubeClient;
  readonly #limit = new ConcurrencyLimit(mostReviews);

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * The token's bearer, or undefined when the token is not valid for any of these audiences (none given: the API
   * server's own). @throws KubeError when the API server does not answer, ReviewsBusyError
   */
  async review(
    token: string,
    audiences: readonly string[] = [],
    signal?: AbortSignal,
  ): Promise<ReviewedUser | undefined> {
    if (token === "" || token.length > longestToken) return undefined;
    const spec = { token, ...(audiences.length > 0 ? { audiences: [...audiences] } : {}) };
    const review = await this.#limit.run(
      () => this.#client.create<TokenReview>(tokenReviews, { metadata: {}, spec }, { timeoutMs, signal }),
      () => new ReviewsBusyError("too many token reviews are under way"),
    );
    return userOf(review);
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

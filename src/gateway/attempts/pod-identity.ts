import {
  boundPodUid,
  mostReviews,
  type ReviewedUser,
  ReviewsBusyError,
  type TokenReviews,
} from "../http/token-reviews.ts";
import type { PodIdentity } from "./admission.ts";
import { retry, type SandboxRefusal } from "./refuse.ts";

export interface PodIdentityDeps {
  reviews: Pick<TokenReviews, "review">;
  /** `runwright-sandbox.<namespace>.<release>`. */
  audience: string;
}

/**
 * The pod that a token is bound to; `sharer` is the namespace whose share of reviews it takes. A refused token may be tried
 * again: the pod may be newer than an API server's view of it.
 */
export async function podOfToken(
  { reviews, audience }: PodIdentityDeps,
  token: string,
  sharer: string,
): Promise<PodIdentity | SandboxRefusal> {
  try {
    const user = await reviews.review({ token, audiences: [audience], sharer });
    const pod = user?.audiences.includes(audience) ? podIdentity(user) : undefined;
    return pod ?? retry("TokenNotAccepted", "the token is not accepted for this port; try again");
  } catch (error) {
    if (error instanceof ReviewsBusyError) return retry("Busy", shareTaken);
    return retry("TokenReviewFailed", "the token could not be reviewed; try again");
  }
}

const shareTaken = `too many connections of your namespace at once: it has its share of the gateway's ${mostReviews} token reviews; try again, or ask the platform team for more (gateway.replicas)`;

function podIdentity(user: ReviewedUser): PodIdentity | undefined {
  const podUid = boundPodUid(user);
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user.username)?.[1];
  return podUid !== undefined && namespace !== undefined ? { podUid, namespace } : undefined;
}

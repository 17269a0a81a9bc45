import type { IncomingMessage } from "node:http";
import { group as ourGroup } from "../../api/v1alpha1/kind.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type SubjectAccessReview, subjectAccessReviews } from "../../kube/core-resources.ts";
import {
  bearerToken,
  boundPodUid,
  mostReviews,
  type ReviewedUser,
  ReviewsBusyError,
  type TokenReviews,
} from "./token-reviews.ts";
import { ApiError } from "./errors.ts";
import { FairQueue } from "./fair-queue.ts";

/** A person or program whose token was reviewed. */
export type Caller = Omit<ReviewedUser, "audiences">;

/** A request to authorize, in terms of RBAC. */
export interface WantedAccess {
  verb: string;
  /** Our own group by default. */
  group?: string;
  resource: string;
  subresource?: string;
  /** Left out: in all namespaces. */
  namespace?: string | undefined;
  /** Left out: every name. */
  name?: string;
}

interface CallersDeps {
  reviews: Pick<TokenReviews, "review">;
  client: Pick<KubeClient, "create">;
  audiences: { people: string; sandbox: string };
  /** Whether this pod is a sandbox, of whatever owner. */
  isSandboxPod: (podUid: string) => boolean;
  /** Namespaces that are served; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
  /** Counts access reviews that found too many of their sharer waiting. */
  refused?: (() => void) | undefined;
}

/** Access reviews: three quarters of the connections for reviews, so that those of tokens find some. A page asks 8 at once. */
const reviewLimits = { working: 12, waitingOfOne: 256 };

/** Authenticates and authorizes callers by the API server. */
export class Callers {
  readonly #deps: CallersDeps;
  readonly #queue: FairQueue;

  constructor(deps: CallersDeps) {
    this.#deps = deps;
    this.#queue = new FairQueue({ ...reviewLimits, refused: deps.refused });
  }

  /**
   * The bearer of a token for our own audience, or for the API server. Rejects sandboxes: tokens for the sandbox port,
   * and all tokens that are bound to a sandbox pod. @throws ApiError
   */
  async identify(
    { headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
    signal: AbortSignal,
  ): Promise<Caller> {
    const token = bearerToken(headers.authorization);
    if (token === undefined) throw new ApiError("Unauthorized", "a bearer token is required");
    const { people, sandbox } = this.#deps.audiences;
    const asked = { token, sharer: socket.remoteAddress ?? "", signal };
    const own = await this.#review({ ...asked, audiences: [people, sandbox] });
    const user = own ?? (await this.#review(asked));
    const podUid = user && boundPodUid(user);
    const isSandbox =
      own?.audiences.includes(sandbox) === true || (podUid !== undefined && this.#deps.isSandboxPod(podUid));
    if (!user || isSandbox) throw new ApiError("Unauthorized", "the token is not accepted");
    return user;
  }

  /**
   * Asks the API server whether the caller may do this. Checks of connections that are open (`again`) have a queue of their own: a full queue of first checks
   * does not keep a connection open whose caller has lost the right.
   * @throws ApiError unless RBAC allows it to the caller and the namespace is served
   */
  async authorize(
    caller: Caller,
    wanted: WantedAccess,
    signal: AbortSignal,
    when: "first" | "again" = "first",
  ): Promise<void> {
    const { namespace, ...rest } = wanted;
    const access = { group: ourGroup, ...rest, ...(namespace !== undefined && { namespace }) };
    const { username, uid, groups, extra } = caller;
    const spec: SubjectAccessReview["spec"] = {
      user: username,
      groups: [...groups],
      extra: Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]])),
      resourceAttributes: access,
      ...(uid === undefined ? {} : { uid }),
    };
    const turn = { sharer: `${when} ${sharerOf(caller)}`, signal, busy: tooManyAccessReviews };
    const { status } = await this.#queue.run(turn, () =>
      this.#deps.client.create(subjectAccessReviews, { metadata: {}, spec }, { signal }),
    );
    if (status?.allowed !== true) throw new ApiError("Forbidden", `${username} may not ${inWords(wanted)}`);
    const { watchNamespaces = [] } = this.#deps;
    if (namespace === undefined || watchNamespaces.length === 0 || watchNamespaces.includes(namespace)) return;
    throw new ApiError("NotFound", `namespace ${namespace} is not served; watched are ${watchNamespaces.join(", ")}`);
  }

  /** Whether RBAC allows it to the caller and the namespace is served. */
  async may(caller: Caller, wanted: WantedAccess, signal: AbortSignal): Promise<boolean> {
    try {
      await this.authorize(caller, wanted, signal);
      return true;
    } catch (error) {
      if (error instanceof ApiError && (error.code === "Forbidden" || error.code === "NotFound")) return false;
      throw error;
    }
  }

  async #review(asked: Parameters<TokenReviews["review"]>[0]): Promise<ReviewedUser | undefined> {
    try {
      return await this.#deps.reviews.review(asked);
    } catch (error) {
      if (error instanceof ReviewsBusyError) throw new ApiError("Busy", tooManyReviews);
      throw error;
    }
  }
}

const tooManyReviews = `too many requests of your address at once: it has its share of the gateway's ${mostReviews} token reviews; try again, or ask the platform team for more (gateway.replicas)`;

/** All ServiceAccounts of a namespace share, as who may make one may make many. */
function sharerOf({ username }: Caller): string {
  return /^system:serviceaccount:[^:]+:/.exec(username)?.[0] ?? username;
}

function tooManyAccessReviews(): ApiError {
  const message = `${reviewLimits.waitingOfOne} questions about your rights wait for the API server already: try again, or ask the platform team for more (gateway.replicas)`;
  return new ApiError("Busy", message);
}

function inWords({ verb, group = ourGroup, resource, subresource, namespace, name }: WantedAccess): string {
  const kind = `${resource}${subresource === undefined ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;
  const which = name === undefined ? "" : ` ${name}`;
  return `${verb} ${kind}${which} in ${namespace === undefined ? "all namespaces" : `namespace ${namespace}`}`;
}

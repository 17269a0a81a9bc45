import type { IncomingMessage } from "node:http";
import {
  bearerToken,
  boundPodUid,
  type ReviewedUser,
  ReviewsBusyError,
  type TokenReviews,
} from "../http/token-reviews.ts";
import type { RefusalReason } from "../metrics/refusals.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { AttemptId } from "./attempt.ts";
import type { AttemptOwner } from "./owner.ts";
import { type PodIdentity, judgeAdmission } from "./admission.ts";

/** Why a request may not act for an attempt; its code is the label of a metric. */
export type SandboxRefusal = SandboxError<RefusalReason>;

/** A request of a runtime that may act for its attempt; `stream` names a stream that it dials. */
export interface Admitted<Owner extends AttemptOwner> {
  owner: Owner;
  attempt: number;
  stream?: string | undefined;
}

type Admittance<Owner extends AttemptOwner> = { admit: Admitted<Owner> } | { refuse: SandboxRefusal };

interface GatekeeperDeps<Owner> {
  reviews: Pick<TokenReviews, "review">;
  /** `runwright-sandbox.<namespace>.<release>`. */
  audience: string;
  owner: (uid: string) => Owner | undefined;
}

/** Admits the pod that an owner's status names, identified by its bound token, to act for an attempt. */
export class Gatekeeper<Owner extends AttemptOwner> {
  readonly #deps: GatekeeperDeps<Owner>;

  constructor(deps: GatekeeperDeps<Owner>) {
    this.#deps = deps;
  }

  async judge(request: Pick<IncomingMessage, "url" | "headers">): Promise<Admittance<Owner>> {
    const wanted = parsePath(request.url ?? "");
    if (!wanted) return refuse(404, "NotFound", "there is nothing at this path");
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) return refuse(401, "Unauthorized", "a bearer token is required");
    // Unauthenticated requests must not cause requests to the API server unless they name a known session.
    const owner = this.#deps.owner(wanted.sessionUid);
    if (!owner) return { refuse: retry("SessionUnknown", unknownSession) };
    const pod = await this.#podOf(token, owner.metadata.namespace ?? "");
    if (pod instanceof SandboxError) return { refuse: pod };
    return this.#admit(wanted, pod);
  }

  #admit(wanted: WantedPath, pod: PodIdentity): Admittance<Owner> {
    const admission = judgeAdmission(this.#deps.owner(wanted.sessionUid), wanted, pod);
    switch (admission.answer) {
      case "admit":
        return { admit: { owner: admission.owner, attempt: wanted.attempt, stream: wanted.stream } };
      case "over":
        return refuse(410, "AttemptOver", "this attempt of the session is over");
      case "foreign":
        return refuse(403, "NotThisPod", "the session's sandbox is another pod");
      case "retry":
        return refuse(503, admission.code, "the session's status does not name this pod yet; try again");
    }
  }

  /** A refused token may be tried again: the pod may be newer than an API server's view of it. */
  async #podOf(token: string, sharer: string): Promise<PodIdentity | SandboxRefusal> {
    try {
      const user = await this.#deps.reviews.review({ token, audiences: [this.#deps.audience], sharer });
      const pod = user?.audiences.includes(this.#deps.audience) ? podIdentity(user) : undefined;
      return pod ?? retry("TokenNotAccepted", "the token is not accepted for this port; try again");
    } catch (error) {
      if (error instanceof ReviewsBusyError) return retry("Busy", "too many connections at once; try again");
      return retry("TokenReviewFailed", "the token could not be reviewed; try again");
    }
  }
}

const unknownSession = "the session is not known here yet; try again";

function podIdentity(user: ReviewedUser): PodIdentity | undefined {
  const podUid = boundPodUid(user);
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user.username)?.[1];
  return podUid !== undefined && namespace !== undefined ? { podUid, namespace } : undefined;
}

interface WantedPath extends AttemptId {
  stream: string | undefined;
}

function parsePath(path: string): WantedPath | undefined {
  const pattern =
    /^\/sandbox\/v1\/sessions\/([0-9a-f-]{1,64})\/attempts\/([1-9][0-9]{0,6})(?:\/streams\/([0-9a-f]{48}))?$/;
  const [, sessionUid, attempt, stream] = pattern.exec(path) ?? [];
  return sessionUid === undefined ? undefined : { sessionUid, attempt: Number(attempt), stream };
}

function refuse(status: SandboxRefusal["status"], code: RefusalReason, message: string): { refuse: SandboxRefusal } {
  return { refuse: new SandboxError(status, code, message) };
}

function retry(code: RefusalReason, message: string): SandboxRefusal {
  return new SandboxError(503, code, message);
}

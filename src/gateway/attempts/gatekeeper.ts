import type { IncomingMessage } from "node:http";
import { bearerToken } from "../http/token-reviews.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { AttemptId } from "./attempt.ts";
import type { AttemptOwner } from "./owner.ts";
import { type PodIdentity, judgeAdmission } from "./admission.ts";
import { type PodIdentityDeps, podOfToken } from "./pod-identity.ts";
import { refuse, retry, type SandboxRefusal } from "./refuse.ts";

/** A request of a runtime that may act for its attempt; `stream` names a stream that it dials. */
export interface Admitted<Owner extends AttemptOwner> {
  owner: Owner;
  attempt: number;
  stream?: string | undefined;
}

type Admittance<Owner extends AttemptOwner> = { admit: Admitted<Owner> } | { refuse: SandboxRefusal };

interface GatekeeperDeps<Owner> extends PodIdentityDeps {
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
    const pod = await podOfToken(this.#deps, token, owner.metadata.namespace ?? "");
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
}

const unknownSession = "the session is not known here yet; try again";

interface WantedPath extends AttemptId {
  stream: string | undefined;
}

function parsePath(path: string): WantedPath | undefined {
  const pattern =
    /^\/sandbox\/v1\/sessions\/([0-9a-f-]{1,64})\/attempts\/([1-9][0-9]{0,6})(?:\/streams\/([0-9a-f]{48}))?$/;
  const [, sessionUid, attempt, stream] = pattern.exec(path) ?? [];
  return sessionUid === undefined ? undefined : { sessionUid, attempt: Number(attempt), stream };
}

import type { IncomingMessage } from "node:http";
import { bearerToken } from "../http/token-reviews.ts";
import { type PodIdentityDeps, podOfToken } from "./pod-identity.ts";
import { refuse, retry, type SandboxRefusal } from "./refuse.ts";
import { SandboxError } from "./sandbox-error.ts";

interface Deps extends PodIdentityDeps {
  /** Namespace of the pool, or of the session, whose status names the pod. */
  namespaceOfPod: (podUid: string) => string | undefined;
}

const path = /^\/sandbox\/v1\/pods\/([0-9a-f-]{1,64})$/;

/** Whether a request is that of a runtime which waits for a session. */
export function isWaitingPath(url: string): boolean {
  return path.test(url);
}

/** Admits pods that a pool's status names to wait for a session, each under its own UID alone. */
export async function judgeWaiting(
  deps: Deps,
  request: Pick<IncomingMessage, "url" | "headers">,
): Promise<{ admit: string } | { refuse: SandboxRefusal }> {
  const [, podUid = ""] = path.exec(request.url ?? "") ?? [];
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) return refuse(401, "Unauthorized", "a bearer token is required");
  // Unauthenticated requests must not cause requests to the API server unless they name a known pod.
  const namespace = deps.namespaceOfPod(podUid);
  if (namespace === undefined) {
    return { refuse: retry("SandboxNotRecorded", "no pool's status names this pod yet; try again") };
  }
  const pod = await podOfToken(deps, token, namespace);
  if (pod instanceof SandboxError) return { refuse: pod };
  if (pod.podUid !== podUid || pod.namespace !== namespace) {
    return refuse(403, "NotThisPod", "the token is another pod's");
  }
  return { admit: podUid };
}

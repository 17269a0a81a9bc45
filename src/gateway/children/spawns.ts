import { createHash } from "node:crypto";

import { Session } from "../../api/v1alpha1/index.ts";
import { childLimitProblem, usualChildLimits } from "../../domain/children/admit.ts";
import { childRefusal, deepestChild, depthOf } from "../../domain/children/parent.ts";
import { makeChild } from "./make-child.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists } from "../../kube/errors.ts";
import { storeOnce } from "../../kube/store-once.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf } from "../../lib/resource.ts";
import { lookUntil } from "../http/look-until.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";

interface SpawnDeps {
  client: Pick<KubeClient, "find" | "get" | "create">;
  clock: Clock;
  sessions: Pick<SessionView, "byUid">;
  /** Milliseconds to wait for the controller's decision. */
  decisionMs: number;
}

interface Wanted {
  requestId: string;
  title?: string | undefined;
  signal: AbortSignal;
}

/**
 * The admitted child of this request. The controller admits or refuses it; what it would refuse anyway is not created.
 * @throws SandboxError
 */
export async function spawnChild(deps: SpawnDeps, parent: Session, wanted: Wanted): Promise<Session> {
  const { requestId, title, signal } = wanted;
  const bytes = createHash("sha256")
    .update(`${parent.metadata.uid ?? ""}\n${requestId}`)
    .digest();
  const made = makeChild(parent, { bytes, title });
  const known = await deps.client.find<Session>(Session, keyOf(made), { signal });
  const child = known ?? (await store(deps, parent, made, signal));
  const decision = await decided(deps, parent, child, signal);
  if (decision === undefined)
    throw new SandboxError(503, "Undecided", "the controller has not decided about the child yet; try again");
  if (decision !== "admitted") throw new SandboxError(429, "ChildLimit", decision);
  return child;
}

async function store(deps: SpawnDeps, parent: Session, made: Session, signal: AbortSignal): Promise<Session> {
  const { client } = deps;
  refuse(deps, parent);
  try {
    return await storeOnce<Session>(client, Session, made, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get<Session>(Session, keyOf(made), { signal });
  }
}

/** @throws SandboxError for what the controller would refuse too: refused children would pile up */
function refuse({ sessions }: SpawnDeps, parent: Session): void {
  const { currentPrompt, children, settings } = parent.status ?? {};
  if (!currentPrompt) throw new SandboxError(400, "NoPrompt", "a child session is started while a prompt is processed");
  if (depthOf(parent, ({ uid }) => sessions.byUid(uid)) >= deepestChild) {
    throw new SandboxError(403, "TooDeep", `child sessions lie at most ${deepestChild} deep`);
  }
  const known = { total: children?.admitted.length ?? 0, active: children?.active ?? 0 };
  const problem = childLimitProblem(known, settings ?? usualChildLimits);
  if (problem !== undefined) throw new SandboxError(429, "ChildLimit", problem);
}

/** `admitted`, or why not; undefined without a decision in time. */
function decided(
  { client, clock, decisionMs }: SpawnDeps,
  parent: Session,
  child: Session,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { uid = "" } = child.metadata;
  return lookUntil(clock, { waitMs: decisionMs, signal }, async () => {
    const { status } = await client.get<Session>(Session, keyOf(parent), { signal });
    const { admitted = [], refused = [] } = status?.children ?? {};
    if (admitted.includes(uid)) return "admitted";
    const refusal = refused.find((one) => one.uid === uid)?.message;
    // A refused child leaves its parent's status once the refusal is in its own.
    return refusal ?? childRefusal(await client.get<Session>(Session, keyOf(child), { signal }));
  });
}

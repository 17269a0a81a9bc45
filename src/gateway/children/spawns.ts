import { createHash } from "node:crypto";

import { Session } from "../../api/v1alpha1/index.ts";
import { childLimitProblem, usualChildLimits } from "../../domain/children/admit.ts";
import { childRefusal, deepestChild, depthOf } from "../../domain/children/parent.ts";
import { makeChild } from "./make-child.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists } from "../../kube/errors.ts";
import { storeOnce } from "../../kube/store-once.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, type OwnerReference } from "../../lib/resource.ts";
import { lookUntil } from "../http/look-until.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";

interface SpawnsDeps {
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

/** Creates child sessions. The controller admits or refuses them; what it would refuse anyway is not created. */
export class Spawns {
  readonly #deps: SpawnsDeps;

  constructor(deps: SpawnsDeps) {
    this.#deps = deps;
  }

  /** The admitted child of this request. @throws SandboxError */
  async spawn(parent: Session, wanted: Wanted): Promise<Session> {
    const child = (await this.#known(parent, wanted)) ?? (await this.#store(parent, wanted));
    const decision = await this.#decision(parent, child, wanted.signal);
    if (decision === undefined)
      throw new SandboxError(503, "Undecided", "the controller has not decided about the child yet; try again");
    if (decision !== "admitted") throw new SandboxError(429, "ChildLimit", decision);
    return child;
  }

  #make(parent: Session, { requestId, title }: Wanted): Session {
    const bytes = createHash("sha256")
      .update(`${parent.metadata.uid ?? ""}\n${requestId}`)
      .digest();
    return makeChild(parent, { bytes, title });
  }

  async #known(parent: Session, wanted: Wanted): Promise<Session | undefined> {
    const made = this.#make(parent, wanted);
    return this.#deps.client.find<Session>(Session, keyOf(made), { signal: wanted.signal });
  }

  async #store(parent: Session, wanted: Wanted): Promise<Session> {
    const { client } = this.#deps;
    this.#refuse(parent);
    const made = this.#make(parent, wanted);
    try {
      return await storeOnce<Session>(client, Session, made, { signal: wanted.signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return client.get<Session>(Session, keyOf(made), { signal: wanted.signal });
    }
  }

  /** @throws SandboxError for what the controller would refuse too: refused children would pile up */
  #refuse(parent: Session): void {
    const { currentPrompt, children, settings } = parent.status ?? {};
    if (!currentPrompt)
      throw new SandboxError(400, "NoPrompt", "a child session is started while a prompt is processed");
    const above = ({ uid }: OwnerReference): Session | undefined => this.#deps.sessions.byUid(uid);
    if (depthOf(parent, above) >= deepestChild) {
      throw new SandboxError(403, "TooDeep", `child sessions lie at most ${deepestChild} deep`);
    }
    const known = { total: children?.admitted.length ?? 0, active: children?.active ?? 0 };
    const problem = childLimitProblem(known, settings ?? usualChildLimits);
    if (problem !== undefined) throw new SandboxError(429, "ChildLimit", problem);
  }

  /** `admitted`, or why not; undefined without a decision in time. */
  #decision(parent: Session, { metadata }: Session, signal: AbortSignal): Promise<string | undefined> {
    const { client, clock, decisionMs } = this.#deps;
    return lookUntil(clock, { waitMs: decisionMs, signal }, async () => {
      const { status } = await client.get<Session>(Session, keyOf(parent), { signal });
      const { admitted = [], refused = [] } = status?.children ?? {};
      if (admitted.includes(metadata.uid ?? "")) return "admitted";
      const refusal = refused.find(({ uid }) => uid === metadata.uid)?.message;
      return refusal ?? this.#ownRefusal(metadata, signal);
    });
  }

  /** A refused child leaves its parent's status once the refusal is in its own. */
  async #ownRefusal({ namespace, name = "" }: Session["metadata"], signal: AbortSignal): Promise<string | undefined> {
    const child = await this.#deps.client.get<Session>(Session, { namespace, name }, { signal });
    return childRefusal(child);
  }
}

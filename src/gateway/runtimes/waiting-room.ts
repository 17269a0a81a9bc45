import type { WebSocket } from "ws";
import { FrameBudget } from "../../api/runtime/frame-budget.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { setNewest } from "../../lib/set-newest.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import { isOver } from "../attempts/admission.ts";
import { type CloseCause, Link } from "./link.ts";
import type { ConnectionDeps } from "./connection-deps.ts";

interface Deps extends Pick<ConnectionDeps, "clock" | "logger" | "metrics"> {
  /** The session whose status names this pod as its sandbox. */
  sessionOfPod: (podUid: string) => AttemptOwner | undefined;
  /** The pods that wait here have changed. */
  changed: () => void;
}

/** UIDs that the replica's own Lease names at most; the annotations of an object have 256 KiB. */
const mostListed = 5_000;
/** Pods whose frames are counted; the least recent one is forgotten first, when its budget is full again. */
const mostRemembered = 10_000;

/**
 * Runtimes of warm pods, which wait until a session's status names their pod. Then each gets session and attempt, and
 * connects as that one: the status alone decides, so a pod that only says that it is ours gets nothing here.
 */
export class WaitingRoom {
  readonly #deps: Deps;
  readonly #links = new Map<string, Link>();
  /** By pod, over all of its connections. */
  readonly #frames = new Map<string, FrameBudget>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** UIDs of the pods that wait, sorted. */
  get pods(): readonly string[] {
    return [...this.#links.keys()].sort().slice(0, mostListed);
  }

  /** Takes the connection of a pod that was admitted to wait, and closes an older one of it. */
  welcome(socket: WebSocket, podUid: string): void {
    this.#links.get(podUid)?.close("replaced");
    // It has nothing to say; its heartbeats are read and dropped.
    const link = new Link(socket, { ...this.#deps, frames: this.#framesOf(podUid) }, () => undefined);
    link.cancel("hello");
    this.#links.set(podUid, link);
    link.ended.addEventListener("abort", () => this.#forget(podUid, link), { once: true });
    this.#assign(podUid, link);
    this.#deps.changed();
  }

  /** A session has changed. */
  sessionChanged(session: AttemptOwner | undefined): void {
    const podUid = session?.status?.sandbox?.podUID;
    const link = podUid === undefined ? undefined : this.#links.get(podUid);
    if (podUid !== undefined && link) this.#assign(podUid, link);
  }

  /** Disconnects all runtimes, which connect again. */
  close(cause: CloseCause): void {
    for (const link of this.#links.values()) link.close(cause);
  }

  #assign(podUid: string, link: Link): void {
    const session = this.#deps.sessionOfPod(podUid);
    const { attempt } = session?.status?.sandbox ?? {};
    if (!session || attempt === undefined) return;
    if (isOver(session, attempt)) {
      link.close("over");
      return;
    }
    const { name, namespace, uid = "" } = session.metadata;
    link.send({ type: "assigned", sessionUid: uid, attempt });
    this.#deps.logger.info({ session: name, namespace, attempt }, "Gave a waiting runtime its session");
  }

  #framesOf(podUid: string): FrameBudget {
    const frames = this.#frames.get(podUid) ?? new FrameBudget(protocolLimits.frames, this.#deps.clock.monotonicMs());
    setNewest(this.#frames, podUid, frames, mostRemembered);
    return frames;
  }

  #forget(podUid: string, link: Link): void {
    if (this.#links.get(podUid) !== link) return;
    this.#links.delete(podUid);
    this.#deps.changed();
  }
}

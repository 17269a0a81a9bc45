import type { SnapshotNote } from "../../api/runtime/bundle.ts";
import { BlobTooLargeError } from "../../blobs/blob-store.ts";
import type { Clock } from "../../lib/clock.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import { whole } from "../../lib/whole-stream.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { isOver } from "../attempts/admission.ts";
import { type Attempt, type AttemptId, attemptOf } from "../attempts/attempt.ts";
import type { AttemptLeases } from "../attempts/leases.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { ConnectedRuntime, Streams } from "../runtimes/streams.ts";
import { type Archives, largestArchive } from "./archives.ts";

interface Deps {
  clock: Clock;
  logger: Logger;
  archives: Pick<Archives, "store" | "forgetOlder">;
  leases: Pick<AttemptLeases, "open">;
  streams: Pick<Streams, "open">;
  owner: (uid: string) => AttemptOwner | undefined;
  runtime: (target: AttemptId) => ConnectedRuntime | undefined;
}

/** Concurrent saves of one replica: each holds some megabytes in memory. */
export const mostAtOnce = 8;

/** Milliseconds until the next try: after a failure, or while too many saves are under way. */
const againMs = { failed: 5_000, noPlace: 1_000 };

/**
 * Saves workspaces of owners whose status requests it. Each replica does so for the runtimes connected to it; an
 * interrupted save is not stored, and the replica that has the runtime then starts again.
 */
export class Saves {
  readonly #deps: Deps;
  readonly #watched = new Set<string>();
  #underWay = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Checks whether to save an owner's workspace; called at each change of the owner. */
  ownerChanged(uid: string): void {
    if (this.#watched.has(uid) || !toSave(this.#deps.owner(uid))) return;
    this.#watched.add(uid);
    void this.#look(uid);
  }

  async #look(uid: string): Promise<void> {
    const attempt = toSave(this.#deps.owner(uid));
    if (!attempt) this.#watched.delete(uid);
    else if (this.#underWay >= mostAtOnce) this.#lookAgain(uid, againMs.noPlace);
    else if (await this.#saveOnce(attempt)) this.#watched.delete(uid);
    else this.#lookAgain(uid, againMs.failed);
  }

  #lookAgain(uid: string, delayMs: number): void {
    this.#deps.clock.setTimeout(() => void this.#look(uid), delayMs);
  }

  /** Whether the workspace is saved, or cannot be. */
  async #saveOnce(attempt: Attempt): Promise<boolean> {
    const { logger, leases, runtime } = this.#deps;
    const connected = runtime(attempt);
    if (!connected) return false;
    this.#underWay += 1;
    try {
      const lease = await leases.open(attempt);
      if (!lease.hasSnapshot) await lease.markSnapshot(await this.#save(attempt, connected));
      return true;
    } catch (error) {
      logger.warn({ err: error, session: attempt.session }, "Could not save a workspace yet");
      return false;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #save(attempt: Attempt, runtime: ConnectedRuntime): Promise<SnapshotNote> {
    const { archives, logger, streams } = this.#deps;
    const owner = this.#deps.owner(attempt.sessionUid);
    if (owner) await archives.forgetOlder(owner);
    const stream = await streams.open(runtime, { workspace: "save" });
    const { clock } = this.#deps;
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of whole(unlessStill(stream, { stream, clock }))) {
        bytes += piece.length;
        yield piece;
      }
    };
    try {
      const archive = await archives.store(attempt, counted());
      logger.info({ session: attempt.session, namespace: attempt.namespace, bytes }, "Saved a workspace");
      return { bytes, archive };
    } catch (error) {
      if (!(error instanceof BlobTooLargeError)) throw error;
      return { problem: `its archive is larger than ${largestArchive} bytes` };
    } finally {
      stream.destroy();
    }
  }
}

/** The attempt whose workspace the gateway has to save, by the owner's status. */
function toSave(owner: AttemptOwner | undefined): Attempt | undefined {
  const { sandbox } = owner?.status ?? {};
  if (!owner || sandbox?.snapshotTime === undefined || isOver(owner, sandbox.attempt)) return undefined;
  // The controller takes a volume snapshot instead.
  if (sandbox.volumeSnapshotClassName !== undefined) return undefined;
  return attemptOf(owner, sandbox.attempt);
}

import type { AttemptId } from "../attempts/attempt.ts";
import type { SnapshotNote } from "../../api/runtime/bundle.ts";
import { BlobTooLargeError } from "../../blobs/blob-store.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Clock } from "../../lib/clock.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import { whole } from "../../lib/whole-stream.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { isOver } from "../attempts/admission.ts";
import { type Attempt, attemptOf } from "../attempts/attempt.ts";
import type { AttemptLeasePort } from "../attempts/leases.ts";
import type { ConnectedRuntime, Streams } from "../runtimes/streams.ts";
import { type Archives, largestArchive } from "./archives.ts";

interface Deps {
  clock: Clock;
  logger: Logger;
  archives: Pick<Archives, "store" | "forgetOlder">;
  leases: AttemptLeasePort;
  streams: Pick<Streams, "open">;
  session: (uid: string) => Session | undefined;
  runtime: (target: AttemptId) => ConnectedRuntime | undefined;
}

/** Workspaces that one replica saves at once: each has parts of some megabytes in memory. */
export const mostAtOnce = 8;

/** Between two looks at a session whose workspace is to be saved and is not yet, in milliseconds. */
const againMs = { failed: 5_000, noPlace: 1_000 };

/**
 * Saves workspaces of sessions whose status asks for it. Each replica does so for the runtimes that are connected to it;
 * what was begun and broke off was not stored, and whichever replica has the runtime then begins anew.
 */
export class Saves {
  readonly #deps: Deps;
  readonly #watched = new Set<string>();
  #underWay = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Looks whether the session's workspace is to be saved; called at each change of it. */
  sessionChanged(uid: string): void {
    if (this.#watched.has(uid) || !toSave(this.#deps.session(uid))) return;
    this.#watched.add(uid);
    void this.#look(uid);
  }

  async #look(uid: string): Promise<void> {
    const attempt = toSave(this.#deps.session(uid));
    if (!attempt) this.#watched.delete(uid);
    else if (this.#underWay >= mostAtOnce) this.#lookAgain(uid, againMs.noPlace);
    else if (await this.#saveOnce(attempt)) this.#watched.delete(uid);
    else this.#lookAgain(uid, againMs.failed);
  }

  #lookAgain(uid: string, delayMs: number): void {
    this.#deps.clock.setTimeout(() => void this.#look(uid), delayMs);
  }

  /** Whether there is nothing left to do. */
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
    const session = this.#deps.session(attempt.sessionUid);
    if (session) await archives.forgetOlder(session);
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

/** The attempt whose workspace the session's status wants saved. */
function toSave(session: Session | undefined): Attempt | undefined {
  const { sandbox } = session?.status ?? {};
  if (!session || sandbox?.snapshotTime === undefined || isOver(session, sandbox.attempt)) return undefined;
  // The controller has the volume saved.
  if (sandbox.volumeSnapshotClassName !== undefined) return undefined;
  return attemptOf(session, sandbox.attempt);
}

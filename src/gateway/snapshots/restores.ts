import { type Duplex, Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Clock } from "../../lib/clock.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import { markWhole } from "../../lib/whole-stream.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Attempt, AttemptId } from "../attempts/attempt.ts";
import type { AttemptLease, AttemptLeases } from "../attempts/leases.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { ConnectedRuntime, Streams } from "../runtimes/streams.ts";
import { checked, DamagedArchiveError, type SavedBlob } from "./archive-check.ts";
import type { Archives } from "./archives.ts";
import { archiveToRestore, type NamedArchive } from "./saved-archive.ts";

interface Deps {
  clock: Clock;
  logger: Logger;
  archives: Pick<Archives, "read">;
  leases: Pick<AttemptLeases, "open">;
  streams: Pick<Streams, "open">;
  owner: (uid: string) => AttemptOwner | undefined;
  runtime: (target: AttemptId) => ConnectedRuntime | undefined;
}

/**
 * Sends attempts the workspace that their owner saved last. One that is not there, or is damaged, is noted on the attempt's
 * Lease, and from then on the attempt gets none: it begins with a fresh workspace.
 */
export class Restores {
  readonly #deps: Deps;
  /** Names of attempts. */
  readonly #underWay = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Sends an attempt its owner's workspace, or an empty stream without one. One at a time for each attempt: a runtime
   * that asks meanwhile asks again if it fails.
   */
  begin(attempt: Attempt): void {
    if (this.#underWay.has(attempt.name)) return;
    this.#underWay.add(attempt.name);
    this.#restore(attempt)
      .catch((error: unknown) => {
        this.#deps.logger.warn({ err: error, session: attempt.session }, "Could not restore a workspace");
      })
      .finally(() => this.#underWay.delete(attempt.name));
  }

  async #restore(attempt: Attempt): Promise<void> {
    const { leases, owner, runtime, streams } = this.#deps;
    const connected = runtime(attempt);
    const session = owner(attempt.sessionUid);
    if (!connected || !session) return;
    const named = archiveToRestore(session);
    const lease = await leases.open(attempt);
    const stream = await streams.open(connected, { workspace: "restore" });
    try {
      const saved = named && (await this.#saved(named, lease));
      await this.#send(saved, stream);
      if (named && saved) await lease.markRestore(named.note);
    } catch (error) {
      if (named && (await this.#isDamaged(named, error)))
        await lease.markRestore({ ...named.note, problem: "Damaged" });
      throw error;
    } finally {
      // Nothing reads from it, so that it would never end and keep its place.
      stream.destroy();
    }
  }

  async #saved(named: NamedArchive, lease: AttemptLease): Promise<SavedBlob | undefined> {
    if (lease.restore?.problem !== undefined) return undefined;
    const blob = await this.#deps.archives.read(named);
    if (!blob) await lease.markRestore({ ...named.note, problem: "Missing" });
    return blob;
  }

  async #send(blob: SavedBlob | undefined, stream: Duplex): Promise<void> {
    const { clock } = this.#deps;
    try {
      await pipeline(unlessStill(markWhole(blob ? checked(blob) : nothing()), { stream, clock }), stream);
    } finally {
      blob?.content.destroy();
    }
  }

  /** A damaged archive may have ended the runtime's unpacking before its end was read, so then it is read for itself. */
  async #isDamaged(named: NamedArchive, error: unknown): Promise<boolean> {
    if (error instanceof DamagedArchiveError) return true;
    const blob = named.measure.digest === undefined ? undefined : await this.#deps.archives.read(named);
    if (!blob) return false;
    try {
      await finished(Readable.from(checked(blob)).resume());
      return false;
    } catch (failure) {
      return failure instanceof DamagedArchiveError;
    }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A workspace that is not there.
}

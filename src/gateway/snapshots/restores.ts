import { type Duplex, Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Clock } from "../../lib/clock.ts";
import { setNewest } from "../../lib/set-newest.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import { markWhole } from "../../lib/whole-stream.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Attempt, AttemptId } from "../attempts/attempt.ts";
import type { AttemptLease, AttemptLeases } from "../attempts/leases.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { ConnectedRuntime, Streams } from "../runtimes/streams.ts";
import { archivePieceBytes, checked, DamagedArchiveError, type SavedBlob } from "./archive-check.ts";
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

/** An image is left out that could not be restored for so long since the first failure, in milliseconds: a session can do without. */
const imageTriesMs = 30_000;

/** Attempts whose archive was found sound; the oldest is forgotten beyond. */
const mostRemembered = 10_000;

/** What is given its workspace, and where it is noted how that went. */
interface Restored {
  attempt: Attempt;
  lease: AttemptLease;
}

/**
 * Sends attempts the workspace that their owner saved last. One that is not there, or is damaged, is noted on the attempt's
 * Lease, and from then on the attempt gets none: it begins with a fresh workspace. So does one whose prebuilt image is out
 * of reach for a while; a saved workspace is waited for, as nothing else has what is in it.
 */
export class Restores {
  readonly #deps: Deps;
  /** Names of attempts. */
  readonly #underWay = new Set<string>();
  /** When the restore of an image failed first, by the monotonic clock. */
  readonly #failingSince = new WeakMap<AttemptLease, number>();
  /** Digests of archives that were read for themselves and found sound, by name of the attempt: however often it breaks off, that is once. */
  readonly #sound = new Map<string, string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Sends an attempt its owner's workspace, or an empty stream without one. One at a time for each attempt: a runtime
   * that asks meanwhile asks again if it fails. One that the runtime has refused is not sent again.
   */
  begin(attempt: Attempt, isRefused = false): void {
    if (this.#underWay.has(attempt.name)) return;
    this.#underWay.add(attempt.name);
    this.#restore(attempt, isRefused)
      .catch((error: unknown) => {
        this.#deps.logger.warn({ err: error, session: attempt.session }, "Could not restore a workspace");
      })
      .finally(() => this.#underWay.delete(attempt.name));
  }

  async #restore(attempt: Attempt, isRefused: boolean): Promise<void> {
    const { leases, owner, runtime, streams } = this.#deps;
    const connected = runtime(attempt);
    const session = owner(attempt.sessionUid);
    if (!connected || !session) return;
    const named = archiveToRestore(session);
    const lease = await leases.open(attempt);
    if (isRefused) await this.#noteRefused(named, { attempt, lease });
    const stream = await streams.open(connected, { workspace: "restore" });
    try {
      const saved = named && (await this.#saved(named, lease));
      await this.#send(saved, stream);
      if (named && saved) await lease.markRestore(named.note);
    } catch (error) {
      if (named) await this.#noteFailure(named, { attempt, lease }, error);
      throw error;
    } finally {
      // Nothing reads from it, so that it would never end and keep its place.
      stream.destroy();
    }
  }

  async #noteFailure(named: NamedArchive, { attempt, lease }: Restored, error: unknown): Promise<void> {
    const isDamaged = await this.#isDamaged(named, attempt, error).catch(() => false);
    if (isDamaged) await lease.markRestore({ ...named.note, problem: "Damaged" });
    else if (named.note.image && this.#isOutOfReach(lease))
      await lease.markRestore({ ...named.note, problem: "Unreachable" });
  }

  #isOutOfReach(lease: AttemptLease): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    const sinceMs = this.#failingSince.get(lease) ?? nowMs;
    this.#failingSince.set(lease, sinceMs);
    return nowMs - sinceMs >= imageTriesMs;
  }

  /** What is damaged may look like what no save has written. */
  async #noteRefused(named: NamedArchive | undefined, { attempt, lease }: Restored): Promise<void> {
    if (!named || lease.restore?.problem !== undefined) return;
    const problem = (await this.#isDamaged(named, attempt)) ? "Damaged" : "Refused";
    await lease.markRestore({ ...named.note, problem });
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
      const content = markWhole(blob ? checked(blob) : nothing(), undefined, archivePieceBytes);
      await pipeline(unlessStill(content, { stream, clock }), stream);
    } finally {
      blob?.content.destroy();
    }
  }

  /** A damaged archive may have ended the runtime's unpacking before its end was read, so then it is read for itself. */
  async #isDamaged(named: NamedArchive, attempt: Attempt, error?: unknown): Promise<boolean> {
    if (error instanceof DamagedArchiveError) return true;
    const { digest } = named.measure;
    if (digest === undefined || this.#sound.get(attempt.name) === digest) return false;
    const blob = await this.#deps.archives.read(named);
    if (!blob) return false;
    try {
      await finished(Readable.from(checked(blob)).resume());
      setNewest(this.#sound, attempt.name, digest, mostRemembered);
      return false;
    } catch (failure) {
      return failure instanceof DamagedArchiveError;
    }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A workspace that is not there.
}

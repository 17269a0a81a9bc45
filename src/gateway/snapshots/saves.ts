import type { SnapshotNote } from "../../api/runtime/bundle.ts";
import { BlobTooLargeError } from "../../blobs/blob-store.ts";
import type { Clock } from "../../lib/clock.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import { BrokenOffError, whole } from "../../lib/whole-stream.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { isOver } from "../attempts/admission.ts";
import { type Attempt, type AttemptId, attemptOf } from "../attempts/attempt.ts";
import type { AttemptLease, AttemptLeases } from "../attempts/leases.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { ConnectedRuntime, Streams } from "../runtimes/streams.ts";
import { FairShares } from "../../lib/fair-shares.ts";
import { NoRoomError } from "../blobs/blob-budgets.ts";
import { TooSlowError, unlessTooSlow } from "./least-throughput.ts";
import { type ArchiveBounds, type Archives, largestArchive } from "./archives.ts";

interface Deps {
  clock: Clock;
  logger: Logger;
  archives: Pick<Archives, "store" | "forgetOlder">;
  leases: Pick<AttemptLeases, "open">;
  streams: Pick<Streams, "open">;
  owner: (uid: string) => AttemptOwner | undefined;
  runtime: (target: AttemptId) => ConnectedRuntime | undefined;
  /** Counts a save that has to wait for its turn, once. */
  waits: () => void;
}

/** Concurrent saves of one replica, each with some megabytes in memory; a namespace may have as many as are free, so alone half. */
export const mostAtOnce = 16;

/** Milliseconds until the next try: after a failure, or while too many saves are under way. */
const againMs = { failed: 5_000, noPlace: 1_000 };

/**
 * Saves workspaces of owners whose status requests it. Each replica does so for the runtimes connected to it; an
 * interrupted save is not stored, and the replica that has the runtime then starts again.
 */
export class Saves {
  readonly #deps: Deps;
  /** By UID of the owner. */
  readonly #watched = new Map<string, Watched>();
  readonly #shares = new FairShares({ places: mostAtOnce });

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Checks whether to save an owner's workspace; called at each change of the owner. */
  ownerChanged(uid: string): void {
    const watched = this.#watched.get(uid);
    if (watched) {
      if (!this.#isWanted(watched.wanted)) watched.stop?.();
      return;
    }
    const wanted = toSave(this.#deps.owner(uid));
    if (!wanted) return;
    this.#watched.set(uid, { wanted });
    void this.#look(uid);
  }

  async #look(uid: string): Promise<void> {
    const wanted = toSave(this.#deps.owner(uid));
    if (!wanted) {
      this.#watched.delete(uid);
      return;
    }
    const watched = this.#watch(uid, wanted);
    const free = this.#shares.take(wanted.attempt.namespace);
    if (!free) {
      if (watched.hasWaited !== true) this.#deps.waits();
      watched.hasWaited = true;
      this.#lookAgain(uid, againMs.noPlace);
      return;
    }
    const hasEnded = await this.#saveOnce(watched).finally(free);
    if (hasEnded) this.#watched.delete(uid);
    else this.#lookAgain(uid, againMs.failed);
  }

  #watch(uid: string, wanted: Wanted): Watched {
    const known = this.#watched.get(uid);
    if (known && isSame(known.wanted, wanted)) return known;
    const watched: Watched = { wanted };
    this.#watched.set(uid, watched);
    return watched;
  }

  #isWanted(wanted: Wanted): boolean {
    const now = toSave(this.#deps.owner(wanted.attempt.sessionUid));
    return now !== undefined && isSame(now, wanted);
  }

  #lookAgain(uid: string, delayMs: number): void {
    this.#deps.clock.setTimeout(() => void this.#look(uid), delayMs);
  }

  /** Whether there is no more to do for this try: the workspace is saved, or cannot be. */
  async #saveOnce(watched: Watched): Promise<boolean> {
    const { logger, leases, runtime } = this.#deps;
    const { attempt, number } = watched.wanted;
    const connected = runtime(attempt);
    if (!connected) return false;
    let lease: AttemptLease | undefined;
    try {
      lease = await leases.open(attempt);
      if (isDone(lease.snapshot, number)) return true;
      await lease.markSnapshot({ ...(await this.#save(watched, connected)), try: number });
      return true;
    } catch (error) {
      // Another try may be wanted by now.
      if (!this.#isWanted(watched.wanted)) return false;
      logger.warn({ err: error, session: attempt.session }, "Could not save a workspace yet");
      if (lease) await this.#noteProblem(lease, watched, problemOf(error));
      return false;
    }
  }

  /** Tells the controller why it takes longer, once for each cause. */
  async #noteProblem(lease: AttemptLease, watched: Watched, problem: string): Promise<void> {
    if (watched.problem === problem) return;
    try {
      await lease.markSnapshot({ try: watched.wanted.number, problem, goesOn: true });
      watched.problem = problem;
    } catch (error) {
      this.#deps.logger.warn({ err: error }, "Could not note why a workspace is not saved");
    }
  }

  async #save(watched: Watched, runtime: ConnectedRuntime): Promise<SnapshotNote> {
    const { archives, logger, streams } = this.#deps;
    const { attempt } = watched.wanted;
    const owner = this.#deps.owner(attempt.sessionUid);
    if (owner) await archives.forgetOlder(owner);
    // A runtime stops its prompts to save, also one that came meanwhile and for which the save was broken off.
    if (!this.#isWanted(watched.wanted)) throw new Error("the workspace is not to be saved any more");
    const stream = await streams.open(runtime, { workspace: "save" });
    watched.stop = () => stream.destroy(new Error("the workspace is not to be saved any more"));
    if (!this.#isWanted(watched.wanted)) watched.stop();
    const { clock } = this.#deps;
    try {
      const content = whole(unlessTooSlow(unlessStill(stream, { stream, clock }), clock));
      const stored = await archives.store(attempt, content, boundsOf(owner));
      logger.info({ session: attempt.session, namespace: attempt.namespace, bytes: stored.bytes }, "Saved a workspace");
      return stored;
    } catch (error) {
      if (error instanceof NoRoomError) return { problem: error.message };
      if (!(error instanceof BlobTooLargeError)) throw error;
      return { problem: `its archive is larger than ${largestArchive} bytes` };
    } finally {
      stream.destroy();
    }
  }
}

/** The archive that the owner's status names is deleted once another one is named. */
function boundsOf(owner: AttemptOwner | undefined): ArchiveBounds {
  const { sandbox, snapshot } = owner?.status ?? {};
  const replaces = snapshot?.archive === undefined ? undefined : snapshot.bytes;
  return { classLimit: sandbox?.workspaceLimitBytes, replaces };
}

/** A try to save the workspace of an attempt. */
interface Wanted {
  attempt: Attempt;
  number: number;
}

interface Watched {
  readonly wanted: Wanted;
  /** Whether it found no place at first. */
  hasWaited?: boolean;
  /** The last problem that was noted. */
  problem?: string;
  /** Breaks the upload off, once it has begun. */
  stop?: () => void;
}

function isSame(left: Wanted, right: Wanted): boolean {
  return left.number === right.number && left.attempt.name === right.attempt.name;
}

function isDone(note: SnapshotNote | undefined, number: number): boolean {
  return note !== undefined && (note.try ?? 1) === number && !note.goesOn;
}

/** For the session's condition; the error itself may quote addresses and names of the operator's. */
function problemOf(error: unknown): string {
  if (error instanceof TooSlowError) return error.message;
  if (error instanceof BrokenOffError) return "the sandbox broke off before it had sent all";
  return "the sandbox did not send it, or the blob store did not take it; the gateway's log says more";
}

/** The save that the gateway has to carry out, by the owner's status. */
function toSave(owner: AttemptOwner | undefined): Wanted | undefined {
  const { sandbox } = owner?.status ?? {};
  if (!owner || sandbox?.snapshotTime === undefined || isOver(owner, sandbox.attempt)) return undefined;
  // The controller takes a volume snapshot instead.
  if (sandbox.volumeSnapshotClassName !== undefined) return undefined;
  return { attempt: attemptOf(owner, sandbox.attempt), number: sandbox.snapshotTry ?? 1 };
}

import type { BuildNote } from "../../api/runtime/build.ts";
import {
  type BootFailure,
  type BootPhaseNote,
  type PassedOver,
  RestoreNote,
  SnapshotNote,
} from "../../api/runtime/bundle.ts";
import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import { annotations, type AttemptNote } from "../../api/v1alpha1/names.ts";
import { amountText, isAtOrOver } from "../../domain/costs/amount.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Lease, leases } from "../../kube/core-resources.ts";
import { isAlreadyExists, isConflict } from "../../kube/errors.ts";
import { microTime } from "../../kube/micro-time.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf } from "../../lib/resource.ts";
import { parseJson } from "../http/parse-json.ts";
import { phaseNotes } from "./boot-phase.ts";
import { costNotes } from "./cost-note.ts";
import { leftOutNotes } from "./left-out-notes.ts";
import { type Instant, type Notes, silenceNotes } from "./silence.ts";
import { tunnelNotes } from "./tunnel-notes.ts";

/** A later connection of the runtime has the attempt's Lease. */
export class LeaseTakenError extends Error {
  override readonly name = "LeaseTakenError";
}

/** By whom, and for which of the runtime's connections, a Lease is held. */
export interface Claim {
  holder: string;
  connection: number;
}

/** The number of the connection that a Lease is held for; 0 where none is written. */
export function connectionOf({ metadata }: Lease): number {
  return Number(metadata.annotations?.[annotations.connection] ?? 0);
}

/** What a boot that has succeeded has gone on without. */
export interface GoneWithout {
  /** Repositories of a prebuilt image that stayed at its commit. */
  notUpdated?: readonly string[] | undefined;
  /** Hooks that failed. */
  passedOver?: PassedOver | undefined;
}

/** How often a write is tried that other writes of the Lease come before. */
export const mostTries = 5;

/** A first connection is not worth a write of its own for so long: usually the runtime is ready by then. In milliseconds. */
export const unwrittenMs = 30_000;

/** Milliseconds for one write; a renewal of the gateway's own Lease may wait for it. */
const writeLimitMs = 5_000;

/**
 * The Lease of an attempt whose runtime has connected to this replica, for as long as no later connection of the runtime
 * has it. Each write is conditional on the version that was read, so that a late one changes nothing. A Lease that is not
 * written yet is created with the first thing that it has to say, or once {@link unwrittenMs} have passed.
 */
export class HeldLease {
  readonly #deps: { client: KubeClient; clock: Clock };
  readonly #claim: Claim;
  readonly #claimedMs: number;
  #stored: Lease;
  /** Of a Lease that is not written yet: takes the one that is there by now. @throws LeaseTakenError */
  #takeWritten: (() => Promise<Lease>) | undefined;
  #beatMs: number;
  #phase: { note: BootPhaseNote; beganMs: number } | undefined;
  /** What the sandbox has cost, as decimal text, and when that was written last, or the Lease claimed. */
  #cost: { usd: string | undefined; notedMs: number };
  /** When the sandbox was last used through a tunnel. */
  #usedTime: Date | undefined;
  #leftOut: EventsLeftOut | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  /** With `takeWritten` the Lease is not stored yet, but is to be created as `stored`, unless there is one by then, which it takes. */
  constructor(
    deps: { client: KubeClient; clock: Clock },
    claim: Claim,
    stored: Lease,
    takeWritten?: () => Promise<Lease>,
  ) {
    this.#deps = deps;
    this.#claim = claim;
    this.#stored = stored;
    this.#takeWritten = takeWritten;
    this.#claimedMs = deps.clock.monotonicMs();
    this.#beatMs = this.#claimedMs;
    this.#cost = { usd: undefined, notedMs: this.#claimedMs };
  }

  /** Takes a heartbeat; writes only when it ends a silence that the Lease shows. */
  async beat(): Promise<void> {
    this.#beatMs = this.#deps.clock.monotonicMs();
    if (this.owesSilence()) await this.storeNotes();
  }

  /** Takes the phase that boot is at; it is written once it has lasted for a while, or with something else. */
  boots(phase: Omit<BootPhaseNote, "since">): void {
    const { time, monotonicMs } = this.#now();
    this.#phase = { note: { ...phase, since: time.toISOString() }, beganMs: monotonicMs };
  }

  /** The sandbox is used through a tunnel. */
  used(): void {
    this.#usedTime = this.#deps.clock.now();
  }

  /** Takes why events of the attempt were left out; what was noted before stays where the cause is the same. */
  leavesOut(why: EventsLeftOut): void {
    this.#leftOut = why;
  }

  /** Takes what the sandbox has cost so far, in US dollars; of all reports the highest counts. */
  costs(amountUsd: number): void {
    const usd = amountText(amountUsd);
    if (this.#cost.usd === undefined || !isAtOrOver(this.#cost.usd, usd)) this.#cost.usd = usd;
  }

  /** Milliseconds until a cost is to be written that may be written each `everyMs`; undefined: the Lease says it. */
  costDueInMs(everyMs: number): number | undefined {
    if (Object.keys(costNotes(this.#stored, this.#cost.usd)).length === 0) return undefined;
    return Math.max(0, this.#cost.notedMs + everyMs - this.#deps.clock.monotonicMs());
  }

  /** Stores the cost where the Lease lacks it. @throws LeaseTakenError */
  storeCost(): Promise<void> {
    this.#cost.notedMs = this.#deps.clock.monotonicMs();
    return this.#write(() => costNotes(this.#stored, this.#cost.usd));
  }

  /** Whether the Lease does not say what it has to about the runtime's silence. */
  owesSilence(): boolean {
    return Object.keys(this.#silence()).length > 0;
  }

  /** Whether the Lease lacks anything that is to be written now. */
  owesNotes(): boolean {
    return this.#isCreationDue || Object.keys(this.#due(false)).length > 0;
  }

  /** Stores what {@link owesNotes} found. @throws LeaseTakenError */
  storeNotes(): Promise<void> {
    return this.#write(() => ({}));
  }

  /** Records once that boot has succeeded, and what it has gone on without. @throws LeaseTakenError */
  markReady({ notUpdated = [], passedOver = [] }: GoneWithout = {}): Promise<void> {
    this.#phase = undefined;
    const more: Notes = {
      ...(notUpdated.length > 0 && { [annotations.notUpdated]: JSON.stringify(notUpdated) }),
      ...(passedOver.length > 0 && { [annotations.passedOver]: JSON.stringify(passedOver) }),
    };
    return this.#writeOnce(annotations.readyTime, this.#deps.clock.now().toISOString(), more);
  }

  /** Records once how a build went. @throws LeaseTakenError */
  markBuilt(note: BuildNote): Promise<void> {
    this.#phase = undefined;
    return this.#writeOnce(annotations.built, JSON.stringify(note));
  }

  /** Records once that boot has failed for good. @throws LeaseTakenError */
  markBootFailed(failure: BootFailure): Promise<void> {
    return this.#writeOnce(annotations.bootFailure, JSON.stringify(failure));
  }

  /** Records how saving the workspace goes. @throws LeaseTakenError */
  markSnapshot(note: SnapshotNote): Promise<void> {
    return this.#write(() => ({ [annotations.snapshot]: JSON.stringify(note) }));
  }

  /** What {@link markSnapshot} recorded last; undefined for nothing, and for what cannot be read. */
  get snapshot(): SnapshotNote | undefined {
    return parseJson(SnapshotNote, this.#said[annotations.snapshot] ?? "");
  }

  /** Records how restoring the workspace went. @throws LeaseTakenError */
  markRestore(note: RestoreNote): Promise<void> {
    return this.#write(() => ({ [annotations.restore]: JSON.stringify(note) }));
  }

  /** What {@link markRestore} recorded last; undefined for nothing, and for what cannot be read. */
  get restore(): RestoreNote | undefined {
    return parseJson(RestoreNote, this.#said[annotations.restore] ?? "");
  }

  /** The Lease as it was read or written last. */
  get stored(): Lease {
    return this.#stored;
  }

  /** Goes on with the Lease as it is stored now. @throws LeaseTakenError */
  use(stored: Lease): void {
    const { holder, connection } = this.#claim;
    if (stored.spec?.holderIdentity !== holder || connectionOf(stored) !== connection) {
      throw new LeaseTakenError("a later connection of the runtime has its Lease");
    }
    this.#stored = stored;
  }

  get #said(): Readonly<Partial<Record<string, string>>> {
    return this.#stored.metadata.annotations ?? {};
  }

  #now(): Instant {
    const { clock } = this.#deps;
    return { time: clock.now(), monotonicMs: clock.monotonicMs() };
  }

  get #isCreationDue(): boolean {
    return this.#takeWritten !== undefined && this.#deps.clock.monotonicMs() - this.#claimedMs >= unwrittenMs;
  }

  #silence(): Notes {
    return silenceNotes(this.#stored, this.#beatMs, this.#now());
  }

  /** What the Lease lacks; what can wait for another write is left out, unless there is one. */
  #due(isWriting: boolean): Notes {
    const notes = {
      ...this.#silence(),
      ...phaseNotes(this.#stored, this.#phase, this.#now(), isWriting),
      ...tunnelNotes(this.#stored, this.#usedTime),
      ...leftOutNotes(this.#stored, this.#leftOut),
    };
    return isWriting ? { ...notes, ...costNotes(this.#stored, this.#cost.usd) } : notes;
  }

  #writeOnce(annotation: AttemptNote, value: string, more: Notes = {}): Promise<void> {
    return this.#write(() => (this.#said[annotation] === undefined ? { [annotation]: value, ...more } : {}));
  }

  /** One write after the other; what the Lease lacks otherwise goes along. */
  #write(report: () => Notes): Promise<void> {
    const write = this.#lastWrite.then(() => this.#store(report));
    this.#lastWrite = write.catch(() => undefined);
    return write;
  }

  async #store(report: () => Notes, tries = 1): Promise<void> {
    const { client, clock } = this.#deps;
    const reported = report();
    const notes = { ...this.#due(this.#isCreationDue || Object.keys(reported).length > 0), ...reported };
    if (!this.#isCreationDue && Object.keys(notes).length === 0) return;
    if (this.#takeWritten) {
      if (!(await this.#create(notes, this.#takeWritten))) await this.#store(report, tries);
      return;
    }
    const { resourceVersion } = this.#stored.metadata;
    const patch = { metadata: { resourceVersion, annotations: notes }, spec: { renewTime: microTime(clock.now()) } };
    const key = keyOf(this.#stored);
    try {
      this.#stored = await client.patch(leases, key, patch, { timeoutMs: writeLimitMs });
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error;
      this.use(await client.get(leases, key, { timeoutMs: writeLimitMs }));
      await this.#store(report, tries + 1);
    }
  }

  /** Creates the Lease with these notes, or takes the one that is there by now, which lacks them; says whether it was created. */
  async #create(notes: Notes, takeWritten: () => Promise<Lease>): Promise<boolean> {
    const { client, clock } = this.#deps;
    const { metadata, spec } = this.#stored;
    const said = Object.entries({ ...this.#said, ...notes }).filter(
      (note): note is [string, string] => note[1] !== null,
    );
    const lease = {
      metadata: { ...metadata, annotations: Object.fromEntries(said) },
      spec: { ...spec, renewTime: microTime(clock.now()) },
    };
    try {
      this.#stored = await client.create(leases, lease, { timeoutMs: writeLimitMs });
      this.#takeWritten = undefined;
      return true;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#stored = await takeWritten();
      this.#takeWritten = undefined;
      return false;
    }
  }
}

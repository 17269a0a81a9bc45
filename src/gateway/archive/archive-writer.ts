import { once } from "node:events";
import type { StoredMark } from "../../domain/archive/stored-mark.ts";
import { backoffMs } from "../../kube/backoff.ts";
import type { InformerDeps } from "../../kube/informer.ts";
import type { KubeLog } from "../../kube/ports.ts";
import { sleep } from "../../lib/sleep.ts";
import { type ArchiveStore, type Batch, TermOverError } from "./archive-store.ts";
import { halvesOf, isRefusedRow, onlyRowOf } from "./refused-rows.ts";
import { ArchivedObjects } from "./archived-objects.ts";
import { type ArchivedTable, archivedTables } from "./schema/tables.ts";
import type { ArchiveBounds } from "./trim/archive-bounds.ts";
import { trimArchive, type Trimmed } from "./trim/trim-archive.ts";

export interface ArchiveWriterDeps extends InformerDeps {
  store: ArchiveStore;
  log: KubeLog;
  /** Namespaces that are served; none = all of the cluster. */
  namespaces: readonly string[];
  /** How long rows are kept after their object is gone, counted from its creation. */
  retentionDays: number;
  /** Counts a row that the database refuses. */
  refused?: ((table: ArchivedTable) => void) | undefined;
  /** What namespaces may have; left out, nothing is deleted before its time. */
  bounds?: (() => Promise<ArchiveBounds>) | undefined;
  /** Counts rows that were deleted before their time. */
  trimmed?: ((of: Trimmed) => void) | undefined;
}

/** What the archive has and may have, in bytes. */
export interface ArchiveSize {
  bytes: number;
  bound: number;
}

/** Changes are gathered for this long. */
const gatheringMs = 1_000;
const rowsAtOnce = 500;
const dayMs = 86_400_000;
const expireAgainMs = 10 * 60_000;
const trimAgainMs = 10 * 60_000;
/** After a look that has left rows to delete. */
const trimOnMs = 60_000;
/** Between tries while the archive is away. */
const awayBackoff = { baseMs: 1_000, maxMs: 30_000 };

/** Brings what is in the cluster into the archive, for as long as this replica leads. */
export class ArchiveWriter {
  readonly #deps: ArchiveWriterDeps;
  readonly #objects: ArchivedObjects;
  #mark: StoredMark | undefined;
  #upToDateMs: number;
  #expiresAtMs = -Infinity;
  #trimsAtMs = -Infinity;
  #size: ArchiveSize | undefined;

  constructor(deps: ArchiveWriterDeps) {
    this.#deps = deps;
    this.#objects = new ArchivedObjects(deps, deps.namespaces);
    this.#upToDateMs = deps.clock.monotonicMs();
  }

  /** Up to where everything is stored; undefined until all that the cluster has was stored once. */
  get mark(): StoredMark | undefined {
    return this.#mark;
  }

  /** Milliseconds since everything was stored: about {@link gatheringMs} while the archive is there. */
  get behindMs(): number {
    return this.#deps.clock.monotonicMs() - this.#upToDateMs;
  }

  /** As of the last look at the budgets; undefined before the first. */
  get size(): ArchiveSize | undefined {
    return this.#size;
  }

  /** Writes until the signal ends it. Rejects with a {@link TermOverError} when another replica has begun to. */
  async run(signal: AbortSignal): Promise<void> {
    this.#objects.start();
    try {
      const term = await this.#insist(() => this.#deps.store.begin(), signal);
      if (term === undefined) return;
      await Promise.race([this.#objects.synced(), once(signal, "abort")]);
      while (!isOver(signal)) {
        await this.#pass(term, signal);
        await sleep(this.#deps.clock, gatheringMs, signal);
      }
    } finally {
      this.#mark = undefined;
      await this.#objects.stop();
    }
  }

  /** Stores all that waits; what comes meanwhile is for the next pass. */
  async #pass(term: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const { places } = this.#objects;
    for (let left = this.#objects.waiting; left > 0; left -= rowsAtOnce) {
      const batch = this.#objects.take(rowsAtOnce);
      await this.#insist(() => this.#write(term, batch), signal);
    }
    if (this.#mark === undefined) await this.#insist(() => this.#noteGone(term), signal);
    if (isOver(signal)) return;
    this.#mark = places;
    this.#upToDateMs = clock.monotonicMs();
    if (this.#upToDateMs >= this.#expiresAtMs) await this.#expire(term);
    if (this.#upToDateMs >= this.#trimsAtMs) await this.#trim(term);
  }

  /** Stores a batch; of one that the database refuses, all rows but those that it refuses by themselves. */
  async #write(term: number, batch: Batch): Promise<void> {
    try {
      await this.#deps.store.write(term, batch);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      const only = onlyRowOf(batch);
      if (only) this.#setAside(only, error);
      else for (const half of halvesOf(batch)) await this.#write(term, half);
    }
  }

  /** One row that nobody thought of stops neither the others nor pruning. */
  #setAside({ table, row: { namespace, name, uid } }: NonNullable<ReturnType<typeof onlyRowOf>>, err: unknown): void {
    const { log, refused } = this.#deps;
    refused?.(table);
    log.error({ err, table, namespace, name, uid }, "The archive's database refuses a row; it is set aside");
  }

  /** Deletes what is too old. Where that fails it is tried again later: nothing that is to be stored waits for it. */
  async #expire(term: number): Promise<void> {
    const { store, clock, log, retentionDays } = this.#deps;
    this.#expiresAtMs = this.#upToDateMs + dayMs;
    try {
      await store.expire(term, clock.now().getTime() - retentionDays * dayMs);
    } catch (error) {
      if (error instanceof TermOverError) throw error;
      this.#expiresAtMs = this.#upToDateMs + expireAgainMs;
      log.error({ err: error }, "Could not delete old rows from the archive; trying again in 10 minutes");
    }
  }

  /** Deletes what is above a budget. Where that fails it is tried again later, likewise. */
  async #trim(term: number): Promise<void> {
    const { store, log, bounds: readBounds, trimmed } = this.#deps;
    if (!readBounds) return;
    this.#trimsAtMs = this.#upToDateMs + trimAgainMs;
    const deleted = new Map<string, Trimmed>();
    try {
      const bounds = await readBounds();
      const look = await trimArchive(store, {
        term,
        bounds,
        trimmed: (of) => {
          trimmed?.(of);
          const key = `${of.budget}/${of.namespace}`;
          deleted.set(key, { ...of, rows: of.rows + (deleted.get(key)?.rows ?? 0) });
        },
      });
      this.#size = { bytes: look.bytes, bound: bounds.total };
      if (!look.isDone) this.#trimsAtMs = this.#upToDateMs + trimOnMs;
    } catch (error) {
      if (error instanceof TermOverError) throw error;
      log.error({ err: error }, "Could not keep the archive within its budgets; trying again in 10 minutes");
    } finally {
      for (const of of deleted.values()) {
        log.info(of, `Deleted the oldest rows of a namespace, as archive.budgets.${of.budget} is exceeded`);
      }
    }
  }

  async #noteGone(term: number): Promise<void> {
    const { store, namespaces } = this.#deps;
    for (const table of archivedTables) {
      await store.noteGone(term, table, { namespaces, isLive: (uid) => this.#objects.isLive(table, uid) });
    }
  }

  /** Tries until it succeeds; undefined when the signal ends it. Says once that the archive is away, and that it is back. */
  async #insist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const { clock, random, log } = this.#deps;
    for (let failures = 0; !isOver(signal);) {
      try {
        const result = await work();
        if (failures > 0) log.info({ failures }, "The archive is back");
        return result;
      } catch (error) {
        if (error instanceof TermOverError) throw error;
        failures += 1;
        if (failures === 1) log.error({ err: error }, "Could not write the archive; trying on, and pruning waits");
        await sleep(clock, backoffMs(failures, awayBackoff, random), signal);
      }
    }
    return undefined;
  }
}

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

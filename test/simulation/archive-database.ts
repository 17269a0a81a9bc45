import { type ArchiveStore, type Batch, TermOverError } from "../../src/gateway/archive/archive-store.ts";
import type { ArchivedTable, PullRequestRow, RunRow, SessionRow } from "../../src/gateway/archive/schema/tables.ts";
import { type Between, type Caller, reach } from "./reach.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** The archive's database, in memory: all of a write or nothing, under the term of the writer that began last. */
export class ArchiveDatabase {
  readonly #surroundings: Between & { clock: VirtualClock };
  readonly #rows = {
    runs: new Map<string, RunRow>(),
    sessions: new Map<string, SessionRow>(),
    pull_requests: new Map<string, PullRequestRow>(),
  };
  #term = 0;
  isAway = false;

  constructor(surroundings: Between & { clock: VirtualClock }) {
    this.#surroundings = surroundings;
  }

  run(uid: string): RunRow | undefined {
    return this.#rows.runs.get(uid);
  }

  session(uid: string): SessionRow | undefined {
    return this.#rows.sessions.get(uid);
  }

  /** The store as the writer of one process has it. */
  seenBy(caller: Caller): ArchiveStore {
    const call = <Answer>(run: () => Answer): Promise<Answer> =>
      reach(this.#surroundings, caller, { name: "archive", isAway: () => this.isAway }, run);
    const store: Pick<ArchiveStore, "begin" | "write" | "noteGone" | "expire"> = {
      begin: () => call(() => (this.#term += 1)),
      write: (term, batch) => call(() => this.#write(term, batch)),
      noteGone: (term, table, { isLive }) => call(() => this.#noteGone(term, table, isLive)),
      expire: (term) => call(() => this.#check(term)),
    };
    return store as ArchiveStore;
  }

  #write(term: number, { runs, sessions, pullRequests = [] }: Batch): void {
    this.#check(term);
    for (const row of runs) this.#rows.runs.set(row.uid, row);
    for (const row of sessions) this.#rows.sessions.set(row.uid, row);
    for (const row of pullRequests) this.#rows.pull_requests.set(row.uid, row);
  }

  #noteGone(term: number, table: ArchivedTable, isLive: (uid: string) => boolean): void {
    this.#check(term);
    const gone_ms = this.#surroundings.clock.now().getTime();
    for (const row of this.#rows[table].values()) if (row.gone_ms === null && !isLive(row.uid)) row.gone_ms = gone_ms;
  }

  #check(term: number): void {
    if (term !== this.#term) throw new TermOverError(term);
  }
}

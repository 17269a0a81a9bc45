interface OwnRun {
  name: string;
  createdMs: number;
  /** The Automation's resource version before the create. */
  before: string;
}

/** The count of unfinished Runs in the status of an Automation. */
export interface CountSeen {
  /** The Automation's resource version, which changes when the count is written. */
  version: string;
  /** The newest Run of the count. */
  lastRunName: string | undefined;
  /** Monotonic milliseconds at which it was read. */
  readMs: number;
}

/** The count is written at most once a second, so one that changed this long after a create includes the Run. */
const countLagMs = 2_000;
/** A count that never changes must not block the Automation for ever. */
const forgetAfterMs = 600_000;

/**
 * The Runs of one Automation that this replica created and that the controller may not have counted yet. The ingress
 * has no permission to read Runs; without this, a sender could create any number of them while the controller is down
 * or behind. It is a bound, not a count: Runs of other replicas are missing until they are counted, so a limit can be
 * exceeded by what those create in two seconds.
 */
export class UncountedRuns {
  #runs: OwnRun[] = [];
  /** By name of the Run, how many deliveries with creates under way concern it. */
  readonly #reserved = new Map<string, { holders: number }>();
  /** `readMs` of the count that was applied last; one read serves many deliveries. */
  #countedMs: number | undefined;

  /**
   * Counts a Run before it is created, so that concurrent deliveries see each other; deliveries of one name count once.
   * Returns what releases the reservation; it may be called twice.
   */
  reserve(name: string): () => void {
    const reservation = this.#reserved.get(name) ?? { holders: 0 };
    this.#reserved.set(name, reservation);
    reservation.holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      reservation.holders -= 1;
      if (reservation.holders === 0 && this.#reserved.get(name) === reservation) this.#reserved.delete(name);
    };
  }

  /** Whether a create of the Run of this name is under way. */
  isReserved(name: string): boolean {
    return this.#reserved.has(name);
  }

  /** Counts a created Run in place of the reservations of its name. */
  add(name: string, { version }: CountSeen, nowMs: number): void {
    this.#reserved.delete(name);
    this.#runs.push({ name, createdMs: nowMs, before: version });
  }

  /** Number of Runs and reservations that the count does not include. */
  count(seen: CountSeen): number {
    this.#dropCounted(seen);
    return this.#runs.length + this.#reserved.size;
  }

  #dropCounted(seen: CountSeen): void {
    if (this.#runs.length === 0 || seen.readMs === this.#countedMs) return;
    this.#countedMs = seen.readMs;
    const newest = this.#runs.findIndex(({ name }) => name === seen.lastRunName);
    this.#runs = this.#runs.filter((run, at) => at > newest && !isCounted(run, seen));
  }
}

function isCounted({ createdMs, before }: OwnRun, { version, readMs }: CountSeen): boolean {
  const ageMs = readMs - createdMs;
  return ageMs >= forgetAfterMs || (version !== before && ageMs >= countLagMs);
}

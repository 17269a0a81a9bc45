interface OwnRun {
  name: string;
  createdMs: number;
  /** The Automation's version as it was known then. */
  before: string;
}

/** What the controller last counted. */
export interface CountSeen {
  /** The Automation's resource version, which changes when the count is written. */
  version: string;
  /** The newest Run of the count. */
  lastRunName: string | undefined;
  /** Monotonic milliseconds at which this was read. */
  readMs: number;
}

/** Deliveries that are about to become one Run. */
interface Reservation {
  holders: number;
}

/** The count is written at most once a second, so what was read this much after a create may have seen the Run. */
const countLagMs = 2_000;
/** A count that does not change although it has seen the Run must not close the Automation for ever. */
const forgetAfterMs = 600_000;

/**
 * The Runs of one Automation that this replica created and that the controller may not have counted yet. The ingress
 * may not read Runs; without this, a sender could add any number of them while the controller is away or behind. It is
 * a bound, not a count: Runs of other replicas are missed until they are counted, so a limit can be passed by what
 * those take in two seconds.
 */
export class UncountedRuns {
  #runs: OwnRun[] = [];
  readonly #reserved = new Map<string, Reservation>();
  /** Of the read that was counted with last; one read serves many deliveries. */
  #countedMs: number | undefined;

  /**
   * Counts a Run before it is created, so that deliveries at the same moment see each other; those of one name are one
   * Run. What it returns gives the reservation back and may be called twice.
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

  /** Whether another delivery is about to create the Run of this name. */
  isReserved(name: string): boolean {
    return this.#reserved.has(name);
  }

  /** Counts a Run that was created; it takes the place of the reservations of its name. */
  add(name: string, { version }: CountSeen, nowMs: number): void {
    this.#reserved.delete(name);
    this.#runs.push({ name, createdMs: nowMs, before: version });
  }

  /** How many are left once those are gone that the count includes, reserved ones with them. */
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

import { Run } from "../../api/v1alpha1/index.ts";
import { keyedRunName, randomName, randomNameBytes } from "../../domain/object-names.ts";
import { makeRun } from "../../domain/deliveries/make-run.ts";
import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import { UncountedRuns } from "../../domain/deliveries/uncounted-runs.ts";
import type { Delivery, DeliveryAutomation } from "../../domain/deliveries/delivery.ts";
import type { Accepted } from "../../domain/deliveries/receipt.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists, isRefused, isUnanswered, isUnsent } from "../../kube/errors.ts";
import { keyOf, type ObjectKey } from "../../lib/resource.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { createFailure } from "./create-failure.ts";
import { RateLimits } from "../rate-limits.ts";
import { FairLimiter } from "./fair-limiter.ts";

export interface RunWriterDeps {
  client: Pick<KubeClient, "store" | "exists">;
  clock: Clock;
  random: Pick<Random, "bytes">;
}

/**
 * Creates of one Automation at once, a quarter of all: what it has more of waits in the order of its arrival, so that another
 * one's delivery finds a free connection, and an event loop and an API server with less before it (docs/adr/0130).
 */
export const createsOfOneAutomation = 6;
/** Limits of concurrent and queued creates; more concurrent ones only slow the API server down. */
const createLimits = { working: 24, workingInLane: createsOfOneAutomation, waiting: 384, waitingInLane: 128 };
/** Timeout of one attempt in milliseconds, which leaves time for another within a delivery's deadline. */
const attemptMs = 1_500;
/**
 * Milliseconds before an attempt without an answer is repeated: the first time because the server had closed the
 * connection, the second time because another server takes over.
 */
const pausesMs = [0, 250];

/**
 * `exists` = another Run has the name. The last two got no answer, so the same create may be sent again: `lost` may
 * have been carried out, `unsent` was not.
 */
type Attempt = "created" | "exists" | { kind: "lost" | "unsent"; error: unknown };

/** One attempt at a create. */
interface AttemptOptions {
  deadlineMs: number;
  /** Whether a Run of this name may be there. */
  mayBeThere: boolean;
}

/** Room for one Run in the limits. */
interface Reservation {
  /** Frees the place among the unfinished Runs, where the Run does not count otherwise; may be called twice. */
  release: () => void;
  /** Whether a token of the rate limit was taken, which comes back unless the Run is stored. */
  hasToken: boolean;
}

/**
 * Stores deliveries as Runs. The create is the only lock: all replicas derive the same name from an idempotency key,
 * and the API server stores it once. Where a limit or the API server's admission refuses a Run before the create could say
 * that the name is taken, a look at the name says so, which reads nothing of the Run.
 */
export class ClusterRunWriter {
  readonly #deps: RunWriterDeps;
  readonly #creates: FairLimiter;
  readonly #starts: RateLimits;
  readonly #uncounted = new Map<string, UncountedRuns>();

  constructor(deps: RunWriterDeps) {
    this.#deps = deps;
    this.#creates = new FairLimiter(deps.clock, createLimits);
    this.#starts = new RateLimits(deps.clock);
  }

  /** Creates under way and waiting, for metrics. */
  get load(): { working: number; waiting: number } {
    return { working: this.#creates.working, waiting: this.#creates.waiting };
  }

  /**
   * Resolves when the delivery's Run is stored: `triggered` for a new one, `skipped` when its idempotency key has one
   * already; names the Run. Rejects with a Refusal before the delivery's deadline in every other case.
   */
  async create(automation: DeliveryAutomation, delivery: Delivery): Promise<Accepted> {
    const reserved = this.#reserve(automation, delivery);
    const inTurn = (work: () => Promise<Accepted>): Promise<Accepted> =>
      this.#creates.run(automation, delivery.deadlineMs, work);
    if (reserved instanceof Refusal) return inTurn(() => this.#duplicateOr(reserved, automation, delivery));
    let isStarted = false;
    try {
      const accepted = await inTurn(() => this.#createNamed(automation, delivery, reserved.release));
      isStarted = accepted.verdict === "triggered";
      return accepted;
    } finally {
      reserved.release();
      if (!isStarted && reserved.hasToken) this.#starts.giveBack(automation.uid);
    }
  }

  /** Drops the state of a deleted Automation. */
  forget(automationUid: string): void {
    this.#uncounted.delete(automationUid);
  }

  /**
   * Reserves the Run in both limits before the first wait; deliveries of one idempotency key share a reservation. Returns
   * the refusal where a limit is reached.
   */
  #reserve(automation: DeliveryAutomation, { id, idempotencyKey }: Delivery): Reservation | Refusal {
    const { uid, maxUnfinishedRuns, activeRuns, rateLimit } = automation;
    const name = idempotencyKey === undefined ? id : keyedRunName(automation, idempotencyKey);
    const uncounted = this.#uncountedOf(automation);
    if (uncounted.isReserved(name)) return { release: uncounted.reserve(name), hasToken: false };
    if (activeRuns + uncounted.count(automation) >= maxUnfinishedRuns) {
      const message = `The automation has ${maxUnfinishedRuns} unfinished runs, its limit`;
      return new Refusal({ code: "TooManyUnfinishedRuns", message, retryAfterSeconds: 10 });
    }
    const retryAfterSeconds = this.#starts.take(uid, rateLimit);
    if (retryAfterSeconds === 0) return { release: uncounted.reserve(name), hasToken: true };
    const message = `More than ${rateLimit.perSecond} new runs a second after a burst of ${rateLimit.burst}`;
    return new Refusal({ code: "RateLimited", message, retryAfterSeconds });
  }

  /** The answer to a delivery beyond a limit: that it is a duplicate, or the refusal. */
  async #duplicateOr(refusal: Refusal, automation: DeliveryAutomation, delivery: Delivery): Promise<Accepted> {
    if (delivery.idempotencyKey === undefined) throw refusal;
    const name = keyedRunName(automation, delivery.idempotencyKey);
    if (await this.#isThere({ namespace: automation.namespace, name }, delivery.deadlineMs)) return duplicateOf(name);
    throw refusal;
  }

  /** Whether there is a Run of this name, as far as the API server says in time. */
  async #isThere(key: ObjectKey, deadlineMs: number): Promise<boolean> {
    try {
      return await this.#deps.client.exists(Run, key, { timeoutMs: this.#timeoutMs(deadlineMs) });
    } catch {
      return false;
    }
  }

  /** `release` is called as soon as the created Run counts instead of the reservation. */
  async #createNamed(automation: DeliveryAutomation, delivery: Delivery, release: () => void): Promise<Accepted> {
    const { idempotencyKey } = delivery;
    if (idempotencyKey !== undefined) {
      const name = keyedRunName(automation, idempotencyKey);
      const outcome = await this.#createAs(name, automation, delivery, release);
      return outcome === "exists" ? duplicateOf(name) : started(name);
    }
    // If two names of 50 random bits both exist, the random source is broken.
    for (let draw = 0; draw < 2; draw += 1) {
      const name = randomName(automation.name, this.#deps.random.bytes(randomNameBytes));
      if ((await this.#createAs(name, automation, delivery, release)) === "created") return started(name);
    }
    throw unavailable("names-taken");
  }

  /** Creates the Run of this name; repeats attempts without an answer while there is time. */
  async #createAs(
    name: string,
    automation: DeliveryAutomation,
    delivery: Delivery,
    release: () => void,
  ): Promise<"created" | "exists"> {
    const run = makeRun(automation, delivery, name);
    let maybeOurs = false;
    for (let repeats = 0; ; repeats += 1) {
      const mayBeThere = maybeOurs || delivery.idempotencyKey !== undefined;
      const attempt = await this.#attempt(run, { deadlineMs: delivery.deadlineMs, mayBeThere });
      // After an attempt whose answer was lost, an existing Run may be the one that it created.
      if (attempt === "exists" && !maybeOurs) return "exists";
      if (typeof attempt === "string") {
        this.#uncountedOf(automation).add(name, automation, this.#deps.clock.monotonicMs());
        release();
        return "created";
      }
      maybeOurs ||= attempt.kind === "lost";
      await this.#pause(repeats, attempt.error, delivery.deadlineMs);
    }
  }

  async #attempt(run: Run, { deadlineMs, mayBeThere }: AttemptOptions): Promise<Attempt> {
    try {
      await this.#deps.client.store(Run, run, { timeoutMs: this.#timeoutMs(deadlineMs) });
      return "created";
    } catch (error) {
      if (isAlreadyExists(error)) return "exists";
      if (isUnanswered(error)) return { kind: "lost", error };
      if (isUnsent(error)) return { kind: "unsent", error };
      if (mayBeThere && isRefused(error) && (await this.#isThere(keyOf(run), deadlineMs))) return "exists";
      throw createFailure(error);
    }
  }

  #timeoutMs(deadlineMs: number): number {
    return Math.max(1, Math.min(attemptMs, deadlineMs - this.#deps.clock.monotonicMs()));
  }

  /** Waits before the next attempt; throws the last attempt's failure when there is no time for another. */
  async #pause(repeats: number, error: unknown, deadlineMs: number): Promise<void> {
    const { clock } = this.#deps;
    const pauseMs = pausesMs[repeats];
    if (pauseMs === undefined || clock.monotonicMs() + pauseMs >= deadlineMs) throw createFailure(error);
    if (pauseMs > 0) await sleep(clock, pauseMs);
  }

  #uncountedOf({ uid }: DeliveryAutomation): UncountedRuns {
    const uncounted = this.#uncounted.get(uid) ?? new UncountedRuns();
    this.#uncounted.set(uid, uncounted);
    return uncounted;
  }
}

function started(runName: string): Accepted {
  return { verdict: "triggered", message: "The Run was stored", runName };
}

function duplicateOf(runName: string): Accepted {
  return { verdict: "skipped", message: "An earlier delivery with this idempotency key has the Run", runName };
}

import { Run } from "../../api/v1alpha1/index.ts";
import { keyedRunName, randomNameBytes, randomRunName } from "../../domain/runs/run-name.ts";
import { makeRun } from "../../domain/deliveries/make-run.ts";
import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import { UncountedRuns } from "./uncounted-runs.ts";
import type { Delivery, WebhookAutomation } from "../../domain/deliveries/delivery.ts";
import type { Taken } from "../../domain/deliveries/receipt.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists, isUnanswered, isUnsent } from "../../kube/errors.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { createFailure } from "./create-failure.ts";
import { Places } from "./places.ts";

export interface RunWriterDeps {
  client: Pick<KubeClient, "create">;
  clock: Clock;
  random: Pick<Random, "bytes">;
}

/** Creates under way and waiting; more creates than this at once only make the API server slower. */
const places = { working: 24, waiting: 256, waitingInLane: 128 };
/** One attempt may take this long, so that there is time for another within a delivery's deadline. */
const attemptMs = 1_500;
/**
 * Waits before repeating an attempt that brought no answer. The first is for a connection that the server had closed
 * meanwhile, the second for a server that another one takes over from.
 */
const pausesMs = [0, 250];

/**
 * `taken` = the name belongs to a Run already. Nothing came back from the other two, and the same create may be sent
 * again: `lost` may have been carried out, `unsent` was not.
 */
type Attempt = "created" | "taken" | { kind: "lost" | "unsent"; error: unknown };

/**
 * Stores deliveries as Runs. The create is the only lock: a delivery's name is the same on every replica, and the API
 * server stores it once. Runs are never read.
 */
export class ClusterRunWriter {
  readonly #deps: RunWriterDeps;
  readonly #places: Places;
  readonly #uncounted = new Map<string, UncountedRuns>();

  constructor(deps: RunWriterDeps) {
    this.#deps = deps;
    this.#places = new Places(deps.clock, places);
  }

  /** Creates under way and deliveries that wait for one, for metrics. */
  get load(): { working: number; waiting: number } {
    return { working: this.#places.working, waiting: this.#places.waiting };
  }

  async create(automation: WebhookAutomation, delivery: Delivery): Promise<Taken> {
    const release = this.#reserve(automation, delivery);
    const { uid } = automation;
    try {
      return await this.#places.use(uid, delivery.deadlineMs, () => this.#createNamed(automation, delivery, release));
    } finally {
      release();
    }
  }

  /** Drops what is remembered of an Automation that is gone. */
  forget(automationUid: string): void {
    this.#uncounted.delete(automationUid);
  }

  /** Takes room for the Run before anything is waited for; deliveries of one idempotency key need it once. */
  #reserve(automation: WebhookAutomation, { id, idempotencyKey }: Delivery): () => void {
    const { maxUnfinishedRuns, activeRuns } = automation;
    const name = idempotencyKey === undefined ? id : keyedRunName(automation, idempotencyKey);
    const uncounted = this.#uncountedOf(automation);
    const hasRoom = activeRuns + uncounted.count(automation) < maxUnfinishedRuns;
    if (hasRoom || uncounted.isReserved(name)) return uncounted.reserve(name);
    throw new Refusal({
      code: "TooManyUnfinishedRuns",
      message: `The automation has ${maxUnfinishedRuns} unfinished runs, its limit`,
      retryAfterSeconds: 10,
    });
  }

  /** `release` is called in the instant in which a Run of another name takes the place of what was reserved. */
  async #createNamed(automation: WebhookAutomation, delivery: Delivery, release: () => void): Promise<Taken> {
    const { idempotencyKey } = delivery;
    if (idempotencyKey !== undefined) {
      const name = keyedRunName(automation, idempotencyKey);
      const outcome = await this.#createAs(name, automation, delivery, release);
      return outcome === "taken" ? duplicateOf(name) : started(name);
    }
    // Two draws of 50 bits that are both taken are a broken random source.
    for (let draw = 0; draw < 2; draw += 1) {
      const name = randomRunName(automation, this.#deps.random.bytes(randomNameBytes));
      if ((await this.#createAs(name, automation, delivery, release)) === "created") return started(name);
    }
    throw unavailable("names-taken");
  }

  /** Creates the Run of this name, repeating attempts that brought no answer while there is time. */
  async #createAs(
    name: string,
    automation: WebhookAutomation,
    delivery: Delivery,
    release: () => void,
  ): Promise<"created" | "taken"> {
    const run = makeRun(automation, delivery, name);
    let maybeOurs = false;
    for (let repeats = 0; ; repeats += 1) {
      const attempt = await this.#attempt(run, delivery.deadlineMs);
      // After an attempt whose answer was lost, the Run that is there may be the one that it created.
      if (attempt === "taken" && !maybeOurs) return "taken";
      if (typeof attempt === "string") {
        this.#uncountedOf(automation).add(name, automation, this.#deps.clock.monotonicMs());
        release();
        return "created";
      }
      maybeOurs ||= attempt.kind === "lost";
      await this.#pause(repeats, attempt.error, delivery.deadlineMs);
    }
  }

  async #attempt(run: Run, deadlineMs: number): Promise<Attempt> {
    const { client, clock } = this.#deps;
    const timeoutMs = Math.max(1, Math.min(attemptMs, deadlineMs - clock.monotonicMs()));
    try {
      await client.create(Run, run, { timeoutMs });
      return "created";
    } catch (error) {
      if (isAlreadyExists(error)) return "taken";
      if (isUnanswered(error)) return { kind: "lost", error };
      if (isUnsent(error)) return { kind: "unsent", error };
      throw createFailure(error);
    }
  }

  /** Waits before the next attempt; throws the last one's failure when there is none. */
  async #pause(repeats: number, error: unknown, deadlineMs: number): Promise<void> {
    const { clock } = this.#deps;
    const pauseMs = pausesMs[repeats];
    if (pauseMs === undefined || clock.monotonicMs() + pauseMs >= deadlineMs) throw createFailure(error);
    if (pauseMs > 0) await sleep(clock, pauseMs);
  }

  #uncountedOf({ uid }: WebhookAutomation): UncountedRuns {
    const uncounted = this.#uncounted.get(uid) ?? new UncountedRuns();
    this.#uncounted.set(uid, uncounted);
    return uncounted;
  }
}

function started(runName: string): Taken {
  return { verdict: "triggered", message: "The Run was stored", runName };
}

function duplicateOf(runName: string): Taken {
  return { verdict: "skipped", message: "An earlier delivery with this idempotency key has the Run", runName };
}

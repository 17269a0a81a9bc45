import { Prompt, type Run, Session } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import { firstPromptName } from "../first-prompt-name.ts";
import { runContext, runSpans, type TracedSession } from "./run-spans.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Tracing } from "../../telemetry/tracing.ts";

/** A new leader tells again of Runs that ended this short a time ago, in case its predecessor no longer could. */
const retoldMs = 300_000;

/**
 * Tells of Runs that have ended, once in this process: all spans of a Run together, from what is stored. Told twice, by
 * two leaders, they are the same spans.
 */
export class RunTraces {
  readonly #client: Pick<KubeClient, "find">;
  readonly #clock: Pick<Clock, "now">;
  readonly #tracing: Tracing;
  /** UIDs of those told, with the instant in milliseconds from which on they are too old to be told again. */
  readonly #told = new Map<string, number>();

  constructor(deps: { client: Pick<KubeClient, "find">; clock: Pick<Clock, "now">; tracing: Tracing }) {
    this.#client = deps.client;
    this.#clock = deps.clock;
    this.#tracing = deps.tracing;
  }

  /** Returns at once; what cannot be read is not told. */
  saw(run: Run): void {
    const uid = run.metadata.uid ?? "";
    const nowMs = this.#clock.now().getTime();
    const oldMs = Date.parse(run.status?.completionTime ?? "") + retoldMs;
    if (!isSettled(run) || !(nowMs < oldMs) || this.#told.has(uid)) return;
    for (const [known, untilMs] of this.#told) if (untilMs <= nowMs) this.#told.delete(known);
    this.#told.set(uid, oldMs);
    this.#tell(run).catch(() => this.#told.delete(uid));
  }

  async #tell(run: Run): Promise<void> {
    const at = runContext(run, (traceId) => this.#tracing.isSampled(traceId));
    if (!at.context.sampled) return;
    const names = run.status?.sessions?.map(({ name }) => name) ?? [];
    const found = await Promise.all(names.map((name) => this.#session(run, name)));
    for (const span of runSpans(
      run,
      at,
      found.filter((one) => one !== undefined),
    ))
      this.#tracing.tell(span);
  }

  /** Read live: caches of several kinds do not agree in every moment. */
  async #session({ metadata: { namespace } }: Run, name: string): Promise<TracedSession | undefined> {
    const [session, prompt] = await Promise.all([
      this.#client.find(Session, { namespace, name }),
      this.#client.find(Prompt, { namespace, name: firstPromptName(name) }),
    ]);
    return session && { session, prompt };
  }
}

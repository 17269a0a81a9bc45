import { Prompt, type Run, Session } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import { firstPromptName } from "../first-prompt-name.ts";
import { runContext, runSpans, type TracedSession } from "./run-spans.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Tracing } from "../../telemetry/tracing.ts";

/** A new leader exports Runs again that ended this recently (milliseconds), in case its predecessor did not get to it. */
const repeatedMs = 300_000;

/**
 * Exports a trace for each Run that has ended, once in this process: all spans of a Run together, from stored objects.
 * Two leaders that export the same Run export the same spans.
 */
export class RunTraces {
  readonly #client: Pick<KubeClient, "find">;
  readonly #clock: Pick<Clock, "now">;
  readonly #tracing: Tracing;
  /** UIDs of exported Runs, with the instant (milliseconds since 1970) after which they are not exported again. */
  readonly #exported = new Map<string, number>();

  constructor(deps: { client: Pick<KubeClient, "find">; clock: Pick<Clock, "now">; tracing: Tracing }) {
    this.#client = deps.client;
    this.#clock = deps.clock;
    this.#tracing = deps.tracing;
  }

  /** Returns at once; a Run whose sessions cannot be read is tried again at its next pass. */
  saw(run: Run): void {
    const uid = run.metadata.uid ?? "";
    const nowMs = this.#clock.now().getTime();
    const oldMs = Date.parse(run.status?.completionTime ?? "") + repeatedMs;
    if (!isSettled(run) || !(nowMs < oldMs) || this.#exported.has(uid)) return;
    for (const [known, untilMs] of this.#exported) if (untilMs <= nowMs) this.#exported.delete(known);
    this.#exported.set(uid, oldMs);
    this.#export(run).catch(() => this.#exported.delete(uid));
  }

  async #export(run: Run): Promise<void> {
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

import { Prompt, type Run, Session } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import { runContext, runSpans, type TracedSession } from "./run-spans.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Tracing } from "../../telemetry/tracing.ts";

/** A new leader exports Runs again that ended this recently (milliseconds), in case its predecessor did not get to it. */
const repeatedMs = 300_000;

interface RunTracesDeps {
  client: Pick<KubeClient, "find">;
  clock: Pick<Clock, "now">;
  tracing: Tracing;
}

/**
 * Exports a trace for each Run that has ended, once in this process: all spans of a Run together, from stored objects.
 * Two leaders that export the same Run export the same spans.
 */
export class RunTraces {
  readonly #deps: RunTracesDeps;
  /** UIDs of exported Runs, with the instant (milliseconds since 1970) after which they are not exported again. */
  readonly #exported = new Map<string, number>();

  constructor(deps: RunTracesDeps) {
    this.#deps = deps;
  }

  /** Returns at once; a Run whose sessions cannot be read is tried again at its next pass. */
  saw(run: Run): void {
    const uid = run.metadata.uid ?? "";
    const nowMs = this.#deps.clock.now().getTime();
    const oldMs = Date.parse(run.status?.completionTime ?? "") + repeatedMs;
    if (!isSettled(run) || !(nowMs < oldMs) || this.#exported.has(uid)) return;
    for (const [known, untilMs] of this.#exported) if (untilMs <= nowMs) this.#exported.delete(known);
    this.#exported.set(uid, oldMs);
    this.#export(run).catch(() => this.#exported.delete(uid));
  }

  async #export(run: Run): Promise<void> {
    const { tracing } = this.#deps;
    const at = runContext(run, (traceId) => tracing.isSampled(traceId));
    if (!at.context.sampled) return;
    const found = await Promise.all(run.status?.sessions?.map(({ name }) => this.#session(run, name)) ?? []);
    const sessions = found.filter((one) => one !== undefined);
    for (const span of runSpans(run, at, sessions)) tracing.tell(span);
  }

  /** Read live: caches of several kinds do not agree in every moment. */
  async #session({ metadata: { namespace } }: Run, name: string): Promise<TracedSession | undefined> {
    const [session, prompt] = await Promise.all([
      this.#deps.client.find(Session, { namespace, name }),
      this.#deps.client.find(Prompt, { namespace, name: firstPromptName(name) }),
    ]);
    return session && { session, prompt };
  }
}

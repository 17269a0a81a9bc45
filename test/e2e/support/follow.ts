import { labels, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { leases, pods } from "../../../src/kube/core-resources.ts";
import { Informer } from "../../../src/kube/informer.ts";
import type { KubeObject, Resource } from "../../../src/lib/resource.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { release } from "./install.ts";
import type { Narrator } from "./narrator.ts";
import { describeView, hasEnded, reachedStages, type RunView, stages, type StagesMs, succeeded } from "./stages.ts";
import type { Workbench } from "./workbench.ts";

const sessionsNamespace = `${release.namespace}-${release.name}-sessions`;
const limitMs = 180_000;

/** What became of one Run. */
export interface FollowedRun {
  run: Run;
  stagesMs: StagesMs;
}

/** A Run whose delivery was answered; times are performance's, in milliseconds. */
export interface StartedRun {
  name: string;
  sentMs: number;
  acceptedMs: number;
}

/** Watches one tenant's Runs with their sessions, pods and leases. */
export class RunWatcher {
  readonly #narrator: Narrator;
  readonly #runs: Informer<Run>;
  readonly #others: Pick<Informer<KubeObject>, "start" | "synced" | "stop">[];
  readonly #views = new Map<string, RunView>();
  readonly #reachedMs = new Map<string, StagesMs>();
  #changed = Promise.withResolvers<undefined>();

  constructor({ client }: Workbench, namespace: string, narrator: Narrator) {
    this.#narrator = narrator;
    const follow = <T extends KubeObject>(
      resource: Resource<T>,
      place: string,
      put: (object: T) => string,
    ): Informer<T> => {
      const informer = new Informer<T>({ client, clock: systemClock, random: systemRandom }, resource, {
        namespace: place,
        auditEveryMs: 0,
      });
      informer.onChange(({ type, object }) => {
        if (type === "deleted") return;
        this.#look(put(object));
      });
      return informer;
    };
    this.#runs = follow(Run, namespace, (run) => this.#put(run.metadata.name ?? "", { run }));
    this.#others = [
      follow(Session, namespace, (session) => this.#put(runOf(session.metadata.name), { session })),
      follow(pods, namespace, (pod) => this.#put(runOf(pod.metadata.labels?.[labels.sessionName]), { pod })),
      follow(leases, sessionsNamespace, (lease) => {
        const { [labels.sessionNamespace]: of, [labels.sessionName]: session } = lease.metadata.labels ?? {};
        return of === namespace ? this.#put(runOf(session), { lease }) : "";
      }),
    ];
  }

  /** Begins to watch; resolves when everything that is there was read. */
  async start(): Promise<void> {
    const informers = [this.#runs, ...this.#others];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced()));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#runs, ...this.#others].map((informer) => informer.stop()));
  }

  /** The Runs that are there now. */
  runs(): readonly Run[] {
    return this.#runs.list();
  }

  /** Their names. */
  runNames(): Set<string> {
    return new Set(this.runs().map(({ metadata }) => metadata.name ?? ""));
  }

  /** When a Run was seen to reach each stage, by performance's clock in milliseconds; without `accepted`. */
  reachedMs(name: string): Readonly<StagesMs> {
    return this.#reachedMs.get(name) ?? {};
  }

  /** Waits until a Run looks as wanted; throws after 3 minutes. */
  async until(name: string, isSo: (view: RunView) => boolean, what: string): Promise<RunView> {
    const look = (): RunView | undefined => (isSo(this.#view(name)) ? this.#view(name) : undefined);
    return this.#until(look, what, () => this.#explain(name));
  }

  /** Waits for a Run that `known` does not name. */
  async newRun(known: ReadonlySet<string>): Promise<string> {
    return this.#until(
      () => [...this.runNames()].find((name) => !known.has(name)),
      "a new Run",
      () => "",
    );
  }

  /** Follows a Run to its end, telling each stage. */
  async follow({ name, sentMs, acceptedMs }: StartedRun): Promise<FollowedRun> {
    const stagesMs: StagesMs = { accepted: Math.round(acceptedMs - sentMs) };
    const run = await this.#until(
      () => {
        this.#note(name, sentMs, stagesMs);
        const seen = this.#view(name).run;
        return hasEnded(seen) ? seen : undefined;
      },
      `the end of Run ${name}`,
      () => this.#explain(name),
    );
    const verdict = succeeded(run);
    this.#narrator.say(`Succeeded=${verdict?.status} ${verdict?.reason}: ${verdict?.message}`);
    return { run, stagesMs };
  }

  #note(name: string, sentMs: number, stagesMs: StagesMs): void {
    const reached = this.reachedMs(name);
    for (const stage of stages) {
      const atMs = reached[stage];
      if (atMs === undefined || stagesMs[stage] !== undefined) continue;
      stagesMs[stage] = Math.round(atMs - sentMs);
      this.#narrator.say(`${stage.padEnd(16)} after ${String(stagesMs[stage]).padStart(6)} ms`);
    }
  }

  #view(run: string): RunView {
    const view = this.#views.get(run) ?? {};
    this.#views.set(run, view);
    return view;
  }

  /** Gives the Run's name back. */
  #put(run: string, seen: RunView): string {
    Object.assign(this.#view(run), seen);
    return run;
  }

  #look(run: string): void {
    const reached = this.#reachedMs.get(run) ?? {};
    for (const stage of reachedStages(this.#view(run))) reached[stage] ??= performance.now();
    this.#reachedMs.set(run, reached);
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers();
  }

  async #until<T>(look: () => T | undefined, what: string, explain: () => string): Promise<T> {
    const deadline = performance.now() + limitMs;
    const wait = async (): Promise<T> => {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        const leftMs = deadline - performance.now();
        if (leftMs <= 0) throw new Error(`not within ${limitMs / 1000} s: ${what}\n${explain()}`);
        await withinMs(this.#changed.promise, Math.min(leftMs, 1_000));
      }
    };
    return this.#narrator.during(`waiting for ${what}`, wait, explain);
  }

  #explain(name: string): string {
    return describeView(this.#view(name));
  }
}

/** Sessions of a Run are named `<run>-<target index>`. */
function runOf(session: string | undefined): string {
  return session?.replace(/-\d+$/, "") ?? "";
}

async function withinMs(promise: Promise<unknown>, limit: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, limit)))]);
  clearTimeout(timer);
}

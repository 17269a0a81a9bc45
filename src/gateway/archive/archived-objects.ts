import { Prompt, Run, Session } from "../../api/v1alpha1/index.ts";
import type { StoredMark } from "../../domain/archive/stored-mark.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { keyOf, keyText, type KubeObject } from "../../lib/resource.ts";
import type { Batch } from "./archive-store.ts";
import { runRow, sessionRow } from "./rows.ts";

/** An object as it was last seen, and when it was seen to be gone, in milliseconds. */
interface Gone<T> {
  object: T;
  goneMs: number;
}

/** UIDs of rows that are to be written; of those whose object is gone, what is left of it. */
type Waiting<T> = Map<string, T | undefined>;

/**
 * What is in the cluster and not in the archive yet. Rows are made of the objects as they are when they are taken, so a
 * change that waits is never older than what was stored.
 */
export class ArchivedObjects {
  readonly #clock: InformerDeps["clock"];
  readonly #runs: Informer<Run>;
  readonly #sessions: Informer<Session>;
  readonly #prompts: Informer<Prompt>;
  readonly #waitingRuns: Waiting<Gone<Run>> = new Map();
  readonly #waitingSessions: Waiting<Gone<Session> & { prompts: readonly Prompt[] }> = new Map();

  constructor(deps: InformerDeps, namespaces: readonly string[]) {
    this.#clock = deps.clock;
    this.#runs = new Informer<Run>(deps, Run, {
      namespaces,
      transform: withoutPayload,
      indexes: { uid: byUid },
    });
    this.#sessions = new Informer<Session>(deps, Session, { namespaces, indexes: { uid: byUid } });
    this.#prompts = new Informer<Prompt>(deps, Prompt, {
      namespaces,
      transform: withoutText,
      indexes: { session: ({ metadata, spec }) => [keyText({ ...metadata, name: spec.sessionRef.name })] },
    });
    this.#runs.onChange(({ type, object }) => {
      this.#waitingRuns.set(uidOf(object), type === "deleted" ? this.#gone(object) : undefined);
    });
    this.#sessions.onChange(({ type, object }) => {
      // Its prompts go after it.
      const gone = type === "deleted" ? { ...this.#gone(object), prompts: this.#promptsOf(object) } : undefined;
      this.#waitingSessions.set(uidOf(object), gone);
    });
    this.#prompts.onChange(({ object }) => this.#promptChanged(object));
  }

  start(): void {
    for (const informer of this.#informers()) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers().map((informer) => informer.stop()));
  }

  async synced(): Promise<void> {
    await Promise.all(this.#informers().map((informer) => informer.synced()));
  }

  /** Everything up to here has been taken, or waits. */
  get places(): StoredMark {
    const [runs = "", sessions = "", prompts = ""] = this.#informers().map(({ place }) => place);
    return { runs, sessions, prompts };
  }

  /** Rows that wait. */
  get waiting(): number {
    return this.#waitingRuns.size + this.#waitingSessions.size;
  }

  isLiveRun(uid: string): boolean {
    return this.#runs.byIndex("uid", uid).length > 0;
  }

  isLiveSession(uid: string): boolean {
    return this.#sessions.byIndex("uid", uid).length > 0;
  }

  /** Takes the rows that have waited longest, at most `most`; they wait no longer. */
  take(most: number): Batch {
    const runs = takeFrom(this.#waitingRuns, most).map(([uid, gone]) => {
      const run = this.#runs.byIndex("uid", uid)[0] ?? gone?.object;
      return run && { ...runRow(run), gone_ms: gone?.goneMs ?? null };
    });
    const sessions = takeFrom(this.#waitingSessions, most - runs.length).map(([uid, gone]) => {
      const session = this.#sessions.byIndex("uid", uid)[0] ?? gone?.object;
      if (!session) return undefined;
      return { ...sessionRow(session, gone?.prompts ?? this.#promptsOf(session)), gone_ms: gone?.goneMs ?? null };
    });
    return { runs: runs.filter((row) => row !== undefined), sessions: sessions.filter((row) => row !== undefined) };
  }

  #informers() {
    return [this.#runs, this.#sessions, this.#prompts] as const;
  }

  #gone<T>(object: T): Gone<T> {
    return { object, goneMs: this.#clock.now().getTime() };
  }

  #promptsOf({ metadata }: Session): readonly Prompt[] {
    return this.#prompts.byIndex("session", keyText(keyOf({ metadata })));
  }

  #promptChanged({ metadata, spec }: Prompt): void {
    const session = this.#sessions.get({ ...metadata, name: spec.sessionRef.name });
    if (session && !this.#waitingSessions.has(uidOf(session))) this.#waitingSessions.set(uidOf(session), undefined);
  }
}

function takeFrom<T>(waiting: Waiting<T>, most: number): [string, T | undefined][] {
  const taken = [...waiting].slice(0, most);
  for (const [uid] of taken) waiting.delete(uid);
  return taken;
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? "";
}

function byUid(object: KubeObject): readonly string[] {
  return [uidOf(object)];
}

function withoutPayload(run: Run): Run {
  delete run.spec.trigger.payload;
  delete run.spec.trigger.idempotencyKey;
  return run;
}

function withoutText(prompt: Prompt): Prompt {
  prompt.spec.text = "";
  delete prompt.spec.images;
  return prompt;
}

import { Prompt, PullRequest, Run, Session } from "../../api/v1alpha1/index.ts";
import type { StoredMark } from "../../domain/archive/stored-mark.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf, keyText, type KubeObject } from "../../lib/resource.ts";
import type { Batch } from "./archive-store.ts";
import { isFirstOf, pullRequestRow, runRow, runUidOf, sessionRow, type ToldBySession, toldRow } from "./rows.ts";
import type { ArchivedTable, PullRequestRow, RunRow, SessionRow } from "./schema/tables.ts";

/** An object as it was last seen, and when it was seen to be gone, in milliseconds. */
interface Gone<T> {
  object: T;
  goneMs: number;
}

/** UIDs of rows that are to be written; of those whose object is gone, what is left of it. */
type Waiting<T> = Map<string, T | undefined>;

/** Of a pull request that is gone, or whose Session is, which then had told this. */
interface LeftOfPullRequest {
  gone?: Gone<PullRequest> | undefined;
  told?: ToldBySession | undefined;
}

/**
 * What is in the cluster and not in the archive yet. Rows are made of the objects as they are when they are taken, so a
 * change that waits is never older than what was stored.
 */
export class ArchivedObjects {
  readonly #clock: InformerDeps["clock"];
  readonly #runs: Informer<Run>;
  readonly #sessions: Informer<Session>;
  readonly #prompts: Informer<Prompt>;
  readonly #pullRequests: Informer<PullRequest>;
  readonly #waitingRuns: Waiting<Gone<Run>> = new Map();
  readonly #waitingSessions: Waiting<Gone<Session> & { prompts: readonly Prompt[] }> = new Map();
  readonly #waitingPullRequests: Waiting<LeftOfPullRequest> = new Map();

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
    this.#pullRequests = new Informer<PullRequest>(deps, PullRequest, {
      namespaces,
      transform: withoutFeedback,
      indexes: { uid: byUid, session: ({ metadata, spec }) => [withinNamespace(metadata, spec.sessionRef.uid)] },
    });
    this.#runs.onChange(({ type, object }) => {
      this.#waitingRuns.set(uidOf(object), type === "deleted" ? this.#gone(object) : undefined);
    });
    this.#sessions.onChange(({ type, object, old }) => {
      // Its prompts go after it.
      const gone = type === "deleted" ? { ...this.#gone(object), prompts: this.#promptsOf(object) } : undefined;
      this.#waitingSessions.set(uidOf(object), gone);
      for (const its of this.#pullRequestsOf(object)) {
        if (type === "updated" && !this.#tellsOtherwise(old, object, its)) continue;
        this.#pullRequestChanged(its, type === "deleted" ? { told: this.#toldBy(object, its) } : {});
      }
    });
    this.#prompts.onChange(({ object }) => this.#promptChanged(object));
    this.#pullRequests.onChange(({ type, object }) => {
      this.#pullRequestChanged(object, { gone: type === "deleted" ? this.#gone(object) : undefined });
      if (type === "added") this.#othersChanged(object);
    });
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
    return {
      runs: this.#runs.place ?? "",
      sessions: this.#sessions.place ?? "",
      prompts: this.#prompts.place ?? "",
      pullRequests: this.#pullRequests.place ?? "",
    };
  }

  /** Rows that wait. */
  get waiting(): number {
    return this.#waitingRuns.size + this.#waitingSessions.size + this.#waitingPullRequests.size;
  }

  /** Whether the object of a row is there. */
  isLive(table: ArchivedTable, uid: string): boolean {
    const informer = { runs: this.#runs, sessions: this.#sessions, pull_requests: this.#pullRequests }[table];
    return informer.byIndex("uid", uid).length > 0;
  }

  /** Takes the rows that have waited longest, at most `most`; they wait no longer. */
  take(most: number): Batch {
    const runs = takeFrom(this.#waitingRuns, most).map(([uid, gone]) => this.#runRow(uid, gone));
    const afterRuns = most - runs.length;
    const sessions = takeFrom(this.#waitingSessions, afterRuns).map(([uid, gone]) => this.#sessionRow(uid, gone));
    const afterSessions = afterRuns - sessions.length;
    const pullRequests = takeFrom(this.#waitingPullRequests, afterSessions).map(([uid, left]) =>
      this.#pullRequestRow(uid, left),
    );
    return { runs: known(runs), sessions: known(sessions), pullRequests: known(pullRequests) };
  }

  #runRow(uid: string, gone: Gone<Run> | undefined): RunRow | undefined {
    const run = this.#runs.byIndex("uid", uid)[0] ?? gone?.object;
    return run && { ...runRow(run), gone_ms: gone?.goneMs ?? null };
  }

  #sessionRow(uid: string, gone: (Gone<Session> & { prompts: readonly Prompt[] }) | undefined): SessionRow | undefined {
    const session = this.#sessions.byIndex("uid", uid)[0] ?? gone?.object;
    if (!session) return undefined;
    const row = sessionRow(session, gone?.prompts ?? this.#promptsOf(session), this.#runOf(session));
    return { ...row, gone_ms: gone?.goneMs ?? null };
  }

  #runOf(session: Session): Run | undefined {
    const found = this.#runs.byIndex("uid", runUidOf(session) ?? "");
    return found.find(({ metadata }) => metadata.namespace === session.metadata.namespace);
  }

  #pullRequestRow(uid: string, left: LeftOfPullRequest | undefined): PullRequestRow | undefined {
    const pullRequest = this.#pullRequests.byIndex("uid", uid)[0] ?? left?.gone?.object;
    if (!pullRequest) return undefined;
    return { ...pullRequestRow(pullRequest, this.#told(pullRequest, left)), gone_ms: left?.gone?.goneMs ?? null };
  }

  #told(pullRequest: PullRequest, left: LeftOfPullRequest | undefined): ToldBySession | undefined {
    if (left?.told) return left.told;
    // Of one that is gone, others of its session may be gone, too: what was stored of its cost stays.
    return left?.gone ? undefined : this.#toldNow(pullRequest);
  }

  #toldNow(pullRequest: PullRequest): ToldBySession | undefined {
    const { metadata, spec } = pullRequest;
    const found = this.#sessions.byIndex("uid", spec.sessionRef.uid);
    const session = found.find((one) => one.metadata.namespace === metadata.namespace);
    return session && this.#toldBy(session, pullRequest);
  }

  #tellsOtherwise(before: Session, after: Session, pullRequest: PullRequest): boolean {
    return !jsonEqual(toldRow(this.#toldBy(before, pullRequest)), toldRow(this.#toldBy(after, pullRequest)));
  }

  #toldBy(session: Session, pullRequest: PullRequest): ToldBySession {
    return { session, isFirst: isFirstOf(this.#pullRequestsOf(session), pullRequest) };
  }

  #informers() {
    return [this.#runs, this.#sessions, this.#prompts, this.#pullRequests] as const;
  }

  #gone<T>(object: T): Gone<T> {
    return { object, goneMs: this.#clock.now().getTime() };
  }

  #promptsOf({ metadata }: Session): readonly Prompt[] {
    return this.#prompts.byIndex("session", keyText(keyOf({ metadata })));
  }

  #pullRequestsOf({ metadata }: Session): readonly PullRequest[] {
    return this.#pullRequests.byIndex("session", withinNamespace(metadata, metadata.uid ?? ""));
  }

  #promptChanged({ metadata, spec }: Prompt): void {
    const session = this.#sessions.get({ ...metadata, name: spec.sessionRef.name });
    if (session && !this.#waitingSessions.has(uidOf(session))) this.#waitingSessions.set(uidOf(session), undefined);
  }

  /** One that was stored may have been taken for the first of its Session. */
  #othersChanged(added: PullRequest): void {
    const { metadata, spec } = added;
    for (const other of this.#pullRequests.byIndex("session", withinNamespace(metadata, spec.sessionRef.uid))) {
      this.#pullRequestChanged(other, {});
    }
  }

  /** What its Session told stays: that goes before it. */
  #pullRequestChanged(pullRequest: PullRequest, left: LeftOfPullRequest): void {
    const uid = uidOf(pullRequest);
    this.#waitingPullRequests.set(uid, { ...this.#waitingPullRequests.get(uid), ...left });
  }
}

function known<T>(rows: readonly (T | undefined)[]): T[] {
  return rows.filter((row) => row !== undefined);
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

/** A UID that people wrote counts in its namespace alone. */
function withinNamespace({ namespace }: KubeObject["metadata"], uid: string): string {
  return keyText({ namespace, name: uid });
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

function withoutFeedback(pullRequest: PullRequest): PullRequest {
  pullRequest.spec.body = "";
  delete pullRequest.status?.feedback;
  return pullRequest;
}

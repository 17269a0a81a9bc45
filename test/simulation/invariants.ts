import { type DeliveryLog, labels, type Prompt, type Run, type Session } from "../../src/api/v1alpha1/index.ts";
import type { Automation } from "../../src/api/v1alpha1/automation.ts";
import { findCondition } from "../../src/domain/conditions.ts";
import type { Pod } from "../../src/kube/core-resources.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { ArchiveInvariants } from "./archive-invariants.ts";
import type { Cluster } from "./cluster.ts";
import { ConversationInvariants } from "./connector/conversation-invariants.ts";
import type { SlackPeople } from "./connector/slack-people.ts";
import { places, secretPrefix, tenant } from "./places.ts";
import type { People } from "./people.ts";
import { limits, type SenderAnswer } from "./processes.ts";
import { RivalInvariants } from "./rival-invariants.ts";
import type { Sender } from "./sender.ts";
import { WorkspaceInvariants } from "./workspace-invariants.ts";

/** Places of the only class. */
export const mostSandboxes = 3;

const encodedPrefix = btoa(secretPrefix);

/** Milliseconds for which an ingress waits for one answer of the API server. */
const askMs = 1_500;

/** Milliseconds by which a process may be behind, as where it was paused before it wrote. */
const secretLagMs = 180_000;

/** Milliseconds by which wall clocks may have been set. */
const clockErrorMs = 30_000;

/** What must be so at each step, and what at the end. */
export class Invariants {
  readonly #cluster: Cluster;
  readonly #sender: Sender;
  readonly #people: People;
  /** UIDs of all Runs that were ever stored, by idempotency key. A Run may lose its key before it is deleted. */
  readonly #stored = new Map<string, Set<string>>();
  /** UIDs of the Runs that have started, by idempotency key. */
  readonly #started = new Map<string, Set<string>>();
  /** Idempotency keys of Runs that ended without a start. */
  readonly #freed = new Set<string>();
  readonly #strikes = new Set<string>();
  readonly #slots = new Set<string>();
  readonly #rivals: RivalInvariants;
  readonly #archive: ArchiveInvariants;
  readonly workspaces: WorkspaceInvariants;
  readonly #conversations: ConversationInvariants | undefined;
  #seen = 0;
  #quietFrom: number | undefined;

  constructor(
    cluster: Cluster,
    { sender, people, slackPeople }: { sender: Sender; people: People; slackPeople: SlackPeople | undefined },
  ) {
    this.#cluster = cluster;
    this.#sender = sender;
    this.#people = people;
    this.#archive = new ArchiveInvariants(cluster, people);
    this.#rivals = new RivalInvariants(cluster.clock);
    const { slack, store } = cluster;
    this.#conversations = slack && slackPeople && new ConversationInvariants(store, slack, slackPeople);
    this.workspaces = new WorkspaceInvariants(cluster);
  }

  /** @throws Error at what must never be */
  always(): void {
    const { changes } = this.#cluster.store;
    let arePodsSeen = true;
    for (; this.#seen < changes.length; this.#seen += 1) {
      const { plural, before, after } = changes[this.#seen]!;
      if (after) this.#checkSecrets(after);
      this.#conversations?.changed(changes[this.#seen]!);
      arePodsSeen &&= plural !== "pods";
      if (after && plural === "runs" && !before) this.#noteRun(after as Run);
      if (after && plural === "runs") this.#noteStart(after as Run);
      if (before && plural === "runs") this.#archive.runChanged(before as Run, after as Run | undefined);
      if (before && !after && plural === "sessions") this.#archive.sessionDeleted(before as Session);
      if (plural === "runs") this.#rivals.changed(before as Run | undefined, after as Run | undefined);
      if (after && plural === "deliverylogs") this.#checkCounts(after as DeliveryLog);
      if (after && plural === "prompts") checkTimeout(after as Prompt);
      if (before && after && plural === "sessions") this.workspaces.changed(before as Session, after as Session);
      if (after && plural === "automations") this.#noteStrikes(before as Automation | undefined, after as Automation);
    }
    if (!arePodsSeen) this.#checkSandboxes();
    this.#conversations?.always();
  }

  #noteRun({ metadata, spec }: Run): void {
    const { trigger, automationRef } = spec;
    const { idempotencyKey } = trigger;
    if (trigger.type === "Schedule") this.#noteSlot(`${automationRef.name} ${trigger.time ?? ""}`, trigger.time);
    if (idempotencyKey === undefined) return;
    this.#stored.set(idempotencyKey, (this.#stored.get(idempotencyKey) ?? new Set()).add(metadata.uid ?? ""));
  }

  /** A Run that is skipped, as before its start or in line for a place, frees its key, and so does a person who deletes one. */
  #noteStart({ spec, metadata, status }: Run): void {
    const { idempotencyKey } = spec.trigger;
    if (idempotencyKey === undefined) return;
    const uids = this.#started.get(idempotencyKey) ?? new Set();
    if (status?.completionTime && !status.startTime) {
      this.#freed.add(idempotencyKey);
      uids.delete(metadata.uid ?? "");
    }
    if (status?.startTime === undefined) return;
    this.#started.set(idempotencyKey, uids.add(metadata.uid ?? ""));
    if (uids.size > 1 && !this.#hasPersonDeleted(idempotencyKey)) {
      throw new Error(`event ${idempotencyKey} started ${uids.size} Runs`);
    }
  }

  /** Whether a person has deleted a Run of the key, which frees it. */
  #hasPersonDeleted(idempotencyKey: string): boolean {
    return [...(this.#stored.get(idempotencyKey) ?? [])].some((uid) => this.#people.deletedRuns.has(uid));
  }

  #noteSlot(slot: string, time = ""): void {
    if (this.#slots.has(slot)) throw new Error(`slot ${slot} has two Runs`);
    this.#slots.add(slot);
    const earlyMs = Date.parse(time) - this.#cluster.clock.now().getTime();
    if (earlyMs > clockErrorMs) throw new Error(`slot ${slot} fired ${earlyMs} ms early`);
  }

  /** Each refusal is counted at most once. */
  #checkCounts({ spec }: DeliveryLog): void {
    const counted = spec.refusals?.find(({ reason }) => reason === "WrongKey")?.count ?? 0;
    const { wrongKeys } = this.#cluster;
    if (counted > wrongKeys) throw new Error(`${counted} wrong keys are counted, and there were ${wrongKeys}`);
  }

  /** Each Run is a strike at most once. */
  #noteStrikes(before: Automation | undefined, after: Automation): void {
    const known = new Set(before?.status?.strikes);
    for (const uid of after.status?.strikes ?? []) {
      if (known.has(uid)) continue;
      if (this.#strikes.has(uid)) throw new Error(`Run ${uid} is counted as a failure twice`);
      this.#strikes.add(uid);
    }
  }

  /** A sandbox gets secrets as they were when it was made, and not as an earlier try found them. */
  began(bundle: string, createTime: string): void {
    const version = Number(new RegExp(`${secretPrefix}-([0-9]+)`).exec(bundle)?.[1] ?? Number.NaN);
    const replacedMs = this.#people.secretChanges[version];
    if (replacedMs === undefined) return;
    const oldMs =
      this.#cluster.clock.monotonicMs() - (this.#cluster.clock.now().getTime() - Date.parse(createTime)) - replacedMs;
    if (oldMs > secretLagMs)
      throw new Error(`a sandbox begins with a secret that was replaced ${oldMs} ms before it was made`);
  }

  /** An outcome that is acknowledged is stored, unless its Prompt is gone or another came first. */
  acknowledged({ name, uid }: { name: string; uid: string }): void {
    const prompt = this.#cluster.store.find("prompts", `${tenant}/${name}`) as Prompt | undefined;
    if (prompt?.metadata.uid !== uid || verdictOf(prompt.status) !== "Unknown") return;
    const session = this.#cluster.store.find("sessions", `${tenant}/${prompt.spec.sessionRef.name}`) as
      Session | undefined;
    // What is said after the attempt has ended by the status has no effect.
    if (session?.status?.currentPrompt?.uid === uid && session.status.sandbox?.endTime === undefined) {
      throw new Error(`the outcome of ${name} was acknowledged and is not stored`);
    }
  }

  #checkSandboxes(): void {
    const living = (this.#cluster.store.list("pods") as Pod[]).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed",
    );
    if (living.length > mostSandboxes)
      throw new Error(`${living.length} sandboxes live in a class of ${mostSandboxes}`);
    const sessions = living.map(({ metadata }) => metadata.labels?.[labels.sessionUid]);
    if (new Set(sessions).size < sessions.length) throw new Error("a session has two sandboxes");
  }

  /** Whether all Runs have ended and nothing of their sandboxes is left. */
  isSettled(): boolean {
    return this.#leftovers().next().done === true;
  }

  /** From here on nothing may be written but renewals of Leases. */
  beginQuiet(): void {
    this.#quietFrom = this.#cluster.store.changes.length;
  }

  /** @throws Error where something is left to do, was lost or goes on */
  atRest(): void {
    const left = [...[...this.#leftovers()].map(named), ...this.#keptKeys()];
    if (left.length > 0) throw new Error(`it does not settle: ${left.join(", ")}`);
    for (const { idempotencyKey, answers } of this.#sender.events) {
      if (!answers.some(({ said }) => isTaken(said))) continue;
      if (!this.#stored.has(idempotencyKey)) throw new Error(`event ${idempotencyKey} was taken and has no Run`);
    }
    this.#conversations?.atRest();
    const late = this.#cluster.store.changes
      .slice(this.#quietFrom)
      .filter(({ plural, after }) => plural !== "leases" && after !== undefined);
    if (late.length > 0) {
      const what = late.map(({ plural, after }) => `${plural} ${after?.metadata.name ?? ""}`);
      throw new Error(`a quiet system writes: ${what.slice(0, 5).join(", ")}`);
    }
  }

  /** Where every request is answered at once, a repeat of what was taken is not refused for the limit of unfinished Runs. */
  afterCalm(): void {
    for (const { idempotencyKey, answers } of this.#sender.events) {
      const takenMs = Math.min(...answers.filter(({ said }) => isTaken(said)).map(({ atMs }) => atMs));
      // One that took longer may have asked in vain whether its Run is there.
      const prompt = answers.filter(({ sentMs, atMs }) => sentMs > takenMs && atMs - sentMs < askMs);
      const refused = prompt.find(({ said }) => isRefused(said));
      const isFreed = this.#hasPersonDeleted(idempotencyKey) || this.#freed.has(idempotencyKey);
      if (refused && !isFreed) throw new Error(`a repeat of ${idempotencyKey} was refused`);
    }
  }

  /** Skipped Runs whose key is still taken. */
  #keptKeys(): string[] {
    const runs = this.#cluster.store.list("runs") as Run[];
    return runs
      .filter(({ spec, status }) => spec.trigger.idempotencyKey !== undefined && status?.startTime === undefined)
      .map(({ metadata }) => `skipped Run ${metadata.name ?? ""} with its key`);
  }

  *#leftovers(): Generator<KubeObject> {
    const { store } = this.#cluster;
    yield* (store.list("runs") as Run[]).filter(({ status }) => verdictOf(status) === "Unknown");
    yield* (store.list("prompts") as Prompt[]).filter(({ status }) => verdictOf(status) === "Unknown");
    yield* store.list("pods", ({ metadata }) => metadata.namespace === tenant);
    yield* store.list("secrets", ({ metadata }) => {
      return metadata.namespace === places.sessionsNamespace && metadata.labels?.[labels.sessionUid] !== undefined;
    });
    yield* store.list("leases", ({ metadata }) => metadata.namespace === places.sessionsNamespace);
    if (this.#conversations) yield* this.#conversations.leftovers();
  }

  #checkSecrets(object: KubeObject): void {
    if (object.kind === "Secret") return;
    const text = this.#cluster.store.textOf(object);
    if (text.includes(secretPrefix) || text.includes(encodedPrefix))
      throw new Error(`${named(object)} holds a secret value`);
  }
}

function named({ kind, metadata }: KubeObject): string {
  return `${kind ?? ""} ${metadata.name ?? ""}`;
}

function isTaken(answer: SenderAnswer): boolean {
  return answer !== undefined && "verdict" in answer && ["triggered", "skipped"].includes(answer.verdict);
}

function isRefused(answer: SenderAnswer): boolean {
  return answer !== undefined && "refused" in answer && answer.refused === "TooManyUnfinishedRuns";
}

function verdictOf(status: Pick<NonNullable<Run["status"]>, "conditions"> | undefined): string {
  return findCondition(status?.conditions, "Succeeded")?.status ?? "Unknown";
}

/** No execution timeout fires early. */
function checkTimeout({ status, metadata }: Prompt): void {
  const verdict = findCondition(status?.conditions, "Succeeded");
  if (verdict?.reason !== "ExecutionTimeout") return;
  const { startTime, completionTime } = status ?? {};
  const tookMs = Date.parse(completionTime ?? "") - Date.parse(startTime ?? "");
  if (tookMs < limits.execution - clockErrorMs) throw new Error(`${metadata.name ?? ""} timed out after ${tookMs} ms`);
}

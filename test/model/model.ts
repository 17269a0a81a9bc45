import { Slots } from "./slot-times.ts";
import type { Sequence } from "./steps.ts";
import { mayPause, tallies, type Tally } from "./tally.ts";

export const sweepMs = 7_200_000 + 6_000_000;
export const startDeadlineMs = 6_000_000;

export type SessionState = "going" | "completed" | "failed";

/** A Run as the model knows it. */
export interface ModelRun {
  name: string;
  /** Undefined until a Run that names no UID was judged. */
  automationUid: string | undefined;
  isExclusive: boolean;
  whilePaused: boolean;
  /** It was stored before its Automation was suspended, so the controller may have judged it already. */
  mayPrecedeSuspension?: boolean;
  acceptedMs: number;
  state: "pending" | "running" | "over";
  startedMs: number;
  sessions: SessionState[];
  /** Why sessions failed. */
  failures: string[];
  isStruck: boolean;
}

/** An Automation from its creation to its deletion. */
export interface Incarnation {
  uid: string;
  key: string;
  suspend: boolean;
  /** What the status says, as the controller left it when it last looked. */
  tally: Tally;
  isShownSuspended: boolean;
  isResumeRequested: boolean;
  usedKeys: Set<string>;
  /** The slot that comes next, as the status says; undefined until the controller has looked, and while paused. */
  nextSlotMs: number | undefined;
  firedSlots: Set<string>;
}

/** What the controller has to make of one Run when it looks next. */
export type Fate =
  /** A pending Run comes to one of these reasons; `Running` among them. */
  | { run: ModelRun; kind: "judged"; causes: readonly string[] }
  | { run: ModelRun; kind: "ended"; succeeded: boolean; reason: string }
  | { run: ModelRun; kind: "goesOn" };

/** What the world must come to once the controller has looked at everything. */
export interface Prospect {
  fates: readonly Fate[];
  /** Any of these. */
  tallies: readonly Tally[];
  /** Of the pending scheduled and manual Runs exactly one starts. */
  isOneStarting: boolean;
}

export class Model {
  current: Incarnation | undefined;
  /** UIDs of Automations that are gone, with the keys that they had. */
  readonly gone = new Map<string, string>();
  previousKey = "none-before";
  /** A scheduled Automation takes no deliveries. */
  readonly trigger: "Webhook" | "Schedule";
  readonly targets: number;
  /** Ended Runs that are kept: so many that completed, that failed and that were skipped. */
  readonly historyLimit: number;
  readonly maxUnfinishedRuns: number;
  readonly slots: Slots;
  runs: ModelRun[] = [];

  constructor(startMs: number, { firstSlotMinutes, ...sequence }: Omit<Sequence, "steps">) {
    const { trigger, targets, historyLimit, maxUnfinishedRuns } = sequence;
    this.trigger = trigger;
    this.targets = targets;
    this.historyLimit = historyLimit;
    this.maxUnfinishedRuns = maxUnfinishedRuns;
    this.slots = new Slots(startMs, firstSlotMinutes);
  }

  create(uid: string, key: string): void {
    this.current = {
      uid,
      key,
      suspend: false,
      tally: { counter: 0, paused: false },
      isShownSuspended: false,
      isResumeRequested: false,
      usedKeys: new Set(),
      nextSlotMs: undefined,
      firedSlots: new Set(),
    };
  }

  delete(): void {
    if (!this.current) return;
    this.previousKey = this.current.key;
    this.gone.set(this.current.uid, this.current.key);
    this.current = undefined;
  }

  /** Whether a delivery starts nothing. A resume counts from the moment that it is asked for. */
  get isPaused(): boolean {
    if (!this.current) return false;
    const { suspend, tally, isResumeRequested } = this.current;
    return suspend || (tally.paused && !isResumeRequested);
  }

  /** Runs of the Automation that is there now, or that would be judged by it. */
  get currentRuns(): ModelRun[] {
    return this.runs.filter(({ automationUid }) => automationUid === undefined || automationUid === this.current?.uid);
  }

  /** How many Runs more `maxUnfinishedRuns` allows, once the controller has counted. */
  get room(): number {
    return this.maxUnfinishedRuns - this.unfinished;
  }

  get unfinished(): number {
    return this.currentRuns.filter(({ state }) => state !== "over").length;
  }

  get running(): ModelRun[] {
    return this.currentRuns.filter(({ state }) => state === "running");
  }

  /** Sessions that an agent still works in. */
  get openSessions(): { run: ModelRun; index: number }[] {
    return this.running.flatMap((run) =>
      run.sessions.flatMap((state, index) => (state === "going" ? [{ run, index }] : [])),
    );
  }

  add(
    run: Pick<
      ModelRun,
      "name" | "automationUid" | "isExclusive" | "whilePaused" | "mayPrecedeSuspension" | "acceptedMs"
    >,
  ): void {
    const sessions = Array.from({ length: this.targets }, () => "going" as const);
    this.runs.push({ ...run, state: "pending", startedMs: 0, sessions, failures: [], isStruck: false });
  }

  /** Whether the next slot is fired when the controller looks; undefined where none is due. */
  firing(nowMs: number): "must" | "may" | "never" | undefined {
    const { current } = this;
    if (current?.nextSlotMs === undefined || nowMs < current.nextSlotMs) return undefined;
    const before = tallyBefore(current);
    if (before.paused || current.suspend) return "never";
    const strikes = this.running.filter((run) => isStrike(fateOfRunning(run, nowMs))).length;
    return mayPause(before, strikes) ? "may" : "must";
  }

  /** The first instant after now at which time alone changes something. */
  nextDeadlineMs(nowMs: number): number | undefined {
    const pending = this.currentRuns.filter(({ state }) => state === "pending");
    const deadlines = [
      ...pending.map(({ acceptedMs }) => acceptedMs + startDeadlineMs),
      ...this.running.map(({ startedMs }) => startedMs + sweepMs),
      this.current?.nextSlotMs ?? 0,
    ].filter((deadlineMs) => deadlineMs > nowMs);
    return deadlines.length === 0 ? undefined : Math.min(...deadlines);
  }

  /** What must come of everything that has happened since the controller last looked. */
  prospect(nowMs: number): Prospect {
    const { current } = this;
    if (!current) return { fates: this.currentRuns.flatMap(withoutAutomation), tallies: [], isOneStarting: false };
    const ended = this.running.map((run) => fateOfRunning(run, nowMs));
    const strikes = ended.filter((fate) => isStrike(fate)).length;
    const successes = ended.filter((fate) => fate.kind === "ended" && fate.succeeded).length;
    const before = tallyBefore(current);
    const judged = this.currentRuns
      .filter(({ state }) => state === "pending")
      .map((run): Fate => ({ run, kind: "judged", causes: this.#causes(run, { before, strikes, nowMs }) }));
    const isAlone = ended.length === 0 && judged.every(({ run }) => run.isExclusive);
    const isOneStarting = isAlone && judged.some((fate) => isStarting(fate));
    return { fates: [...ended, ...judged], tallies: tallies([before], strikes, successes), isOneStarting };
  }

  #causes(run: ModelRun, facts: { before: Tally; strikes: number; nowMs: number }): readonly string[] {
    const { before, strikes, nowMs } = facts;
    if (nowMs >= run.acceptedMs + startDeadlineMs) return ["StartDeadlineExceeded"];
    const started = run.isExclusive ? this.#exclusiveCauses(run, nowMs) : ["Running"];
    if (run.whilePaused) return started;
    const isCertain = before.paused || (this.current?.suspend && !run.mayPrecedeSuspension);
    if (isCertain) return ["AutomationPaused"];
    return this.current?.suspend || mayPause(before, strikes) ? [...started, "AutomationPaused"] : started;
  }

  #exclusiveCauses(run: ModelRun, nowMs: number): string[] {
    const others = this.currentRuns.filter((other) => other !== run && other.state !== "over");
    if (others.length === 0) return ["Running"];
    // Sessions that are active before and after the look leave no choice.
    const isBlocked = others.some(
      (other) => other.state === "running" && fateOfRunning(other, nowMs).kind === "goesOn",
    );
    return isBlocked ? ["ConcurrentRunActive"] : ["Running", "ConcurrentRunActive"];
  }
}

function tallyBefore({ tally, suspend, isShownSuspended, isResumeRequested }: Incarnation): Tally {
  if (isResumeRequested) return { counter: 0, paused: false };
  const isReleased = isShownSuspended && !tally.paused && !suspend;
  return isReleased ? { counter: 0, paused: false } : tally;
}

function withoutAutomation(run: ModelRun): Fate[] {
  return run.state === "pending"
    ? [{ run, kind: "judged", causes: ["AutomationNotFound", "StartDeadlineExceeded"] }]
    : [];
}

function fateOfRunning(run: ModelRun, nowMs: number): Fate {
  const { sessions, startedMs, failures } = run;
  const failed = sessions.filter((state) => state === "failed").length;
  if (!sessions.includes("going")) {
    if (failed === 0) return { run, kind: "ended", succeeded: true, reason: "Completed" };
    return {
      run,
      kind: "ended",
      succeeded: false,
      reason: failed < sessions.length ? "PartiallyFailed" : shared(failures),
    };
  }
  if (nowMs >= startedMs + sweepMs) {
    const reason = sessions.includes("completed") ? "PartiallyFailed" : "ExecutionTimeout";
    return { run, kind: "ended", succeeded: false, reason };
  }
  return { run, kind: "goesOn" };
}

function shared(failures: readonly string[]): string {
  if (failures.includes("ExecutionTimeout")) return "ExecutionTimeout";
  const [first = "Failed", ...others] = failures;
  return others.every((other) => other === first) ? first : "Failed";
}

/** One failed session is the Run's strike, before the others have ended; a cancelled one is not. */
function isStrike(fate: Fate): boolean {
  const { isStruck, sessions, failures } = fate.run;
  if (isStruck) return false;
  if (fate.kind === "ended" && sessions.includes("going")) return !fate.succeeded;
  return failures.some((reason) => reason !== "Cancelled");
}

function isStarting(fate: Fate): boolean {
  return fate.kind === "judged" && fate.causes.includes("Running");
}

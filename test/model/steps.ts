import fc from "fast-check";

/** What goes wrong while the ingress stores one delivery. */
export type Trouble =
  | "none"
  /** The API server's answer to the first create is lost; the create was carried out. */
  | "answerLost"
  /** The first create's connection is reset before anything is passed on. */
  | "refused"
  /** The answers to all creates are lost. */
  | "everyAnswerLost"
  /** The API server says 503 and creates nothing. */
  | "apiServerBusy"
  /** The Automation cannot be read. */
  | "readFails"
  /** The replica dies just before its create, or just after it. */
  | "killedBefore"
  | "killedAfter";

/** Which key a sender has: the one that counts now, the one before it, any other, or none. */
export type Credential = "current" | "previous" | "made-up" | "none";

export interface DeliverStep {
  do: "deliver";
  replica: 0 | 1;
  /** The sender's idempotency key. */
  key: string | undefined;
  matches: boolean;
  credential: Credential;
  trouble: Trouble;
}

/** How a session ends. */
export type End = "completed" | "failed" | "platformFailed" | "cancelled";

/** What a race with a delivery changes. */
export type Change = "delete" | "recreate" | "rotateKey" | "suspend";

/** Where a delivery is when something changes: anywhere, or before a read, a create or an answer that waits for it. */
export type Moment = "any" | "read" | "create" | "answer";

/** What happens to one replica. */
interface ReplicaStep<Name extends string> {
  do: Name;
  replica: 0 | 1;
}

/** One thing that happens to one Automation's world; all that is random is in here. */
export type Step =
  | DeliverStep
  /** The same delivery at both replicas at once. */
  | { do: "deliverTwice"; key: string | undefined }
  /** More deliveries at one instant than the rates of requests and of Runs started allow. */
  | ReplicaStep<"exhaust">
  | { do: "race"; change: Change; at: Moment; replica: 0 | 1; key: string | undefined }
  /** `pick` chooses among the sessions that are open then. */
  | { do: "endSession"; pick: number; end: End }
  | { do: "trigger"; whilePaused: boolean }
  | { do: "suspend" }
  | { do: "unsuspend" }
  | { do: "resume" }
  | { do: "rotateKey" }
  | { do: "delete" }
  | { do: "create" }
  | ReplicaStep<"hangWatch">
  | ReplicaStep<"releaseWatch">
  | ReplicaStep<"killIngress">
  | { do: "stopController" }
  | { do: "startController" }
  /** The controller dies around the write of this number, counted from now. */
  | { do: "killController"; atWrite: number; when: "before" | "after" }
  | { do: "wait"; seconds: number }
  | { do: "passStartDeadline" }
  | { do: "passSweepDeadline" }
  | { do: "passSlot" };

/** What stays the same in a sequence. */
export interface Sequence {
  trigger: "Webhook" | "Schedule";
  /** Sessions that a Run has; more than one with a schedule only. */
  targets: number;
  /** Ended Runs that are kept: so many that completed, that failed and that were skipped. */
  historyLimit: number;
  /** Of a webhook: many, or so few that sequences reach it. */
  maxUnfinishedRuns: number;
  /** From the start to the first slot. */
  firstSlotMinutes: number;
  steps: readonly Step[];
}

const replica = fc.constantFrom<0 | 1>(0, 1);
const key = fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined });
const pick = fc.nat(99);

const plainDelivery: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("deliver" as const),
  replica,
  key,
  matches: fc.oneof({ weight: 7, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  credential: fc.oneof(
    { weight: 10, arbitrary: fc.constant<Credential>("current") },
    { weight: 2, arbitrary: fc.constantFrom<Credential>("previous", "made-up", "none") },
  ),
  trouble: fc.constant<Trouble>("none"),
});

const troubledDelivery: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("deliver" as const),
  replica,
  key,
  matches: fc.constant(true),
  credential: fc.constant<Credential>("current"),
  trouble: fc.constantFrom<Trouble>(
    "answerLost",
    "refused",
    "everyAnswerLost",
    "apiServerBusy",
    "readFails",
    "killedBefore",
    "killedAfter",
  ),
});

function simple<Name extends string>(name: Name): fc.Arbitrary<{ do: Name }> {
  return fc.constant({ do: name });
}

function atReplica<Name extends string>(name: Name): fc.Arbitrary<ReplicaStep<Name>> {
  return fc.record({ do: fc.constant(name), replica });
}

const weighted: readonly [weight: number, step: fc.Arbitrary<Step>][] = [
  [8, plainDelivery],
  [4, troubledDelivery],
  [2, fc.record({ do: fc.constant("deliverTwice" as const), key })],
  [2, atReplica("exhaust")],
  [
    2,
    fc.record({
      do: fc.constant("race" as const),
      change: fc.constantFrom<Change>("delete", "recreate", "rotateKey", "suspend"),
      at: fc.constantFrom<Moment>("any", "read", "create", "answer"),
      replica,
      key,
    }),
  ],
  [
    12,
    fc.record({
      do: fc.constant("endSession" as const),
      pick,
      end: fc.constantFrom<End>("completed", "failed", "failed", "platformFailed", "cancelled"),
    }),
  ],
  [4, fc.record({ do: fc.constant("trigger" as const), whilePaused: fc.boolean() })],
  [1, simple("suspend")],
  [2, simple("unsuspend")],
  [2, simple("resume")],
  [1, simple("rotateKey")],
  [1, simple("delete")],
  [3, simple("create")],
  [1, atReplica("hangWatch")],
  [1, atReplica("releaseWatch")],
  [1, atReplica("killIngress")],
  [1, simple("stopController")],
  [3, simple("startController")],
  [
    2,
    fc.record({
      do: fc.constant("killController" as const),
      atWrite: fc.integer({ min: 1, max: 6 }),
      when: fc.constantFrom("before" as const, "after" as const),
    }),
  ],
  [2, fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 1_800 }) })],
  [1, simple("passStartDeadline")],
  [1, simple("passSweepDeadline")],
  [3, simple("passSlot")],
];

/** Sequences of exactly so many steps. */
export function sequences(length: number): fc.Arbitrary<Sequence> {
  const step = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  const steps = fc.array(step, { minLength: length, maxLength: length });
  const historyLimit = fc.constantFrom(50, 2, 1);
  const firstSlotMinutes = fc.integer({ min: 1, max: 360 });
  const maxUnfinishedRuns = fc.constantFrom(10_000, 2);
  const common = { historyLimit, maxUnfinishedRuns, firstSlotMinutes, steps };
  const webhook = fc.record({ trigger: fc.constant("Webhook" as const), targets: fc.constant(1), ...common });
  const targets = fc.integer({ min: 1, max: 3 });
  const schedule = fc.record({ trigger: fc.constant("Schedule" as const), targets, ...common });
  return fc.oneof({ weight: 3, arbitrary: webhook }, { weight: 1, arbitrary: schedule });
}

/** The one sequence of a seed. */
export function sequenceOf(seed: number, length: number): Sequence {
  const [sequence] = fc.sample(sequences(length), { seed, numRuns: 1 });
  if (!sequence) throw new Error("fast-check sampled nothing");
  return sequence;
}

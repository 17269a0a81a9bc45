import { describe, expect, it } from "vitest";
import { aRun, aSecret, aSession, anAutomation, aVerdict } from "../../../test/support/builders.ts";
import type {
  Automation,
  AutomationSpec,
  AutomationStatus,
  HmacAuthentication,
  Run,
} from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { decideAutomation } from "./decide.ts";
import type { AutomationDecision } from "./effects.ts";
import type { AutomationFacts, SourceKey } from "./facts.ts";
import { retryingStatus } from "./lifecycle.ts";
import { sourceKey } from "./observe/key-reader.ts";
import { makeKeyCopy } from "./resources.ts";
import { scheduleAt } from "./slots/schedule.ts";
import { transitions } from "./status-diff.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const hash = "0123456789abcdef".repeat(4);
const other = "f".repeat(64);
const source = { name: "alerts-key", key: "sha256" };

/** An automation of webhooks as the API server stores it. */
function triage(spec: Partial<AutomationSpec> = {}, status?: AutomationStatus): Automation {
  const history = {
    successfulLimit: 1,
    failedLimit: 1,
    skippedLimit: 1,
    ttlSeconds: 60,
    idempotencySeconds: 60,
    idempotencyKeys: 1,
  };
  return anAutomation({
    metadata: { name: "triage", namespace: "demo", uid: "automation-uid", generation: 3 },
    spec: { suspend: false, targets: [], session: {}, history, ...spec },
    status,
  });
}

function decide(facts: Partial<AutomationFacts> = {}, at = now): AutomationDecision {
  const automation = facts.automation ?? triage();
  const all: AutomationFacts = {
    automation,
    runs: [],
    sessions: new Map(),
    unstored: new Set(),
    busy: new Set(),
    schedule: scheduleAt(automation, at),
    slotRun: undefined,
    keySecret: undefined,
    source: undefined,
    secretsRefusal: undefined,
    integration: undefined,
    activityMayWaitMs: 1_000,
    ...facts,
  };
  return decideAutomation(all, at, { keysNamespace: "keys", deliveryBaseUrl: "https://hooks.example.com" });
}

it("a counted Run is forgotten once its verdict is written or it is gone, and not where the cache lacks it", () => {
  const going = aRun({ metadata: { name: "going", uid: "going" } });
  const settled = aRun({
    metadata: { name: "settled", uid: "settled", creationTimestamp: now.toISOString() },
    status: { conditions: [aVerdict(false, "Failed", now)] },
  });
  const automation = triage({}, { consecutiveFailures: 2, strikes: ["settled", "gone", "going", "unseen"] });
  const { effects } = decide({ automation, runs: [going, settled], uncachedRuns: ["unseen"] });
  const written = effects.find((effect) => effect.kind === "writeStatus");
  expect(written?.status.strikes).toEqual(["going", "unseen"]);
});

describe("history that the archive does not have yet", () => {
  const run = (name: string, minutes: number, idempotencyKey?: string): Run =>
    aRun({
      metadata: { name, uid: name, creationTimestamp: new Date(now.getTime() - minutes * 60_000).toISOString() },
      spec: { trigger: { type: "Webhook", payload: "", idempotencyKey } },
      status: { conditions: [aVerdict(true, "Completed", new Date(now.getTime() - minutes * 60_000))] },
    });
  const runs = [run("kept", 0), run("old", 5), run("older", 6), run("keyed", 0.5, "key")];
  const pruned = ({ effects }: AutomationDecision): string[] =>
    effects.flatMap((effect) =>
      effect.kind === "deleteRun" || effect.kind === "emptyRun"
        ? [`${effect.kind} ${effect.run.metadata.name ?? ""}`]
        : [],
    );

  it("is pruned where all of it is stored", () => {
    expect(pruned(decide({ runs })).sort()).toEqual(["deleteRun old", "deleteRun older", "emptyRun keyed"]);
  });

  it("waits, and is looked at every 10 s, while the rest is pruned", () => {
    const decision = decide({ runs, unstored: new Set(["old", "keyed"]) });
    expect(pruned(decision)).toEqual(["deleteRun older"]);
    expect(decision.requeueMs).toBe(10_000);
  });

  it.each([
    { busy: ["old", "keyed"], requeueMs: 30_000, pruned: ["deleteRun older"] },
    { busy: ["old", "older", "keyed"], requeueMs: 30_000, pruned: [] },
    { busy: ["kept"], requeueMs: 30_000, pruned: ["deleteRun old", "deleteRun older", "emptyRun keyed"] },
  ])("waits likewise for families at work: $busy", ({ busy, requeueMs, pruned: want }) => {
    const decision = decide({ runs, busy: new Set(busy) });
    expect(pruned(decision).sort()).toEqual(want);
    // By then the key is forgotten, before which it is looked at each minute.
    expect(decision.requeueMs).toBe(requeueMs);
  });

  it("is looked at each minute while a family is at work and nothing else changes with time", () => {
    const [kept, old] = runs;
    const automation = triage({ history: { ...triage().spec.history, ttlSeconds: 86_400 } });
    expect(decide({ automation, runs: [kept!, old!], busy: new Set(["old"]) }).requeueMs).toBe(60_000);
    expect(decide({ automation, runs: [kept!, old!] }).requeueMs).toBe(86_400_000);
  });

  it("keeps the sessions of a keyed Run, and its key, while its family is at work", () => {
    const sessions = new Map([["keyed", [aSession({ metadata: { name: "keyed-0" } })]]]);
    const kindsOf = (facts: Partial<AutomationFacts>): string[] =>
      decide({ runs, sessions, ...facts }).effects.map(({ kind }) => kind);
    expect(kindsOf({})).toContain("deleteSession");
    expect(kindsOf({ busy: new Set(["keyed"]) })).not.toContain("deleteSession");
  });

  it("is not pruned again where it is being deleted and something still holds it", () => {
    const deleted = (name: string): Run => {
      const { metadata, ...rest } = run(name, 5, "key");
      return {
        metadata: { ...metadata, deletionTimestamp: now.toISOString(), finalizers: ["example.com/audit"] },
        ...rest,
      };
    };
    const held = Array.from({ length: 101 }, (_, index) => deleted(`held-${index}`));
    const decision = decide({ runs: [...held, run("kept", 0), run("old", 5)] });
    expect(pruned(decision)).toEqual(["deleteRun old"]);
    // The one that is kept is old by then.
    expect(decision.requeueMs).toBe(60_000);
  });

  it("does not move the horizon for a keyed Run that stays", () => {
    const forgotten = run("forgotten", 2, "key");
    const facts = { runs: [run("kept", 0), forgotten] };
    const horizonOf = (decision: AutomationDecision): string | undefined =>
      decision.effects.find((effect) => effect.kind === "writeStatus")?.status.idempotencyHorizon;
    expect(pruned(decide(facts))).toEqual(["deleteRun forgotten"]);
    const held = decide({ ...facts, busy: new Set(["forgotten"]) });
    expect(pruned(held)).toEqual([]);
    expect(horizonOf(held)).toBe(new Date(now.getTime() - 60_000).toISOString());
  });
});

/** The status that a decision writes; throws when it writes none. */
function statusIn({ effects }: AutomationDecision): AutomationStatus {
  const write = effects.find((effect) => effect.kind === "writeStatus");
  if (!write) throw new Error("no status is written");
  return write.status;
}

function shown(status: AutomationStatus): (string | undefined)[] {
  const conditions = ["Ready", "KeyIssued", "Stalled"].map((type) => findCondition(status.conditions, type));
  return conditions.map((condition) => condition && `${condition.status} ${condition.reason}`);
}

describe("a hash in a Secret of a person's", () => {
  it.each([
    { name: "as it should be", data: { sha256: hash }, want: { state: "found", value: hash } },
    { name: "with a line break at its end", data: { sha256: `${hash}\n` }, want: { state: "found", value: hash } },
    { name: "of 63 digits", data: { sha256: hash.slice(1) }, want: { state: "invalid" } },
    { name: "of 65 digits", data: { sha256: `${hash}0` }, want: { state: "invalid" } },
    { name: "in upper case", data: { sha256: hash.toUpperCase() }, want: { state: "invalid" } },
    { name: "that is empty", data: { sha256: "" }, want: { state: "invalid" } },
    { name: "under another key", data: { hash }, want: { state: "invalid" } },
  ])("$name is $want.state", ({ data, want }) => {
    expect(sourceKey(triage(), aSecret(data), source)).toMatchObject(want);
  });

  it("is never quoted when it is refused", () => {
    expect(JSON.stringify(sourceKey(triage(), aSecret({ sha256: "planted" }), source))).not.toContain("planted");
  });

  it("is missing with its Secret", () => {
    expect(sourceKey(triage(), undefined, source)).toEqual({ state: "missing" });
  });
});

/** A webhook whose senders sign. */
function signed(hmac: HmacAuthentication, status?: AutomationStatus): Automation {
  const webhook = { authentication: { type: "HMAC", hmac } };
  return triage({ trigger: { type: "Webhook", webhook } as never }, status);
}
const encodedSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

describe("a signing secret in a Secret of a person's", () => {
  const reference = { name: "hook", key: "signing-secret" };
  const github = signed({ preset: "github", secretRef: reference });
  const standard = signed({ preset: "standard-webhooks", secretRef: reference });
  it.each([
    { name: "of 16 characters", automation: github, value: "s".repeat(16), want: "found" },
    { name: "with a line break at its end", automation: github, value: `${"s".repeat(16)}\n`, want: "found" },
    { name: "of 15 characters", automation: github, value: "s".repeat(15), want: "invalid" },
    { name: "that is a hash, which is long enough", automation: github, value: hash, want: "found" },
    { name: "of Standard Webhooks", automation: standard, value: encodedSecret, want: "found" },
    { name: "of another form", automation: standard, value: "s".repeat(32), want: "invalid" },
  ])("$name: $want", ({ automation, value, want }) => {
    const key = sourceKey(automation, aSecret({ "signing-secret": value }), reference);
    expect(key.state).toBe(want);
    if (key.state === "found") expect(key).toEqual({ state: "found", dataKey: "signing-secret", value: value.trim() });
    else expect(JSON.stringify(key)).not.toContain(value);
  });

  it("is copied in the place of a hash, and without a hint", () => {
    const key = sourceKey(github, aSecret({ "signing-secret": encodedSecret }), reference);
    const decision = decide({
      automation: github,
      source: key,
      keySecret: makeKeyCopy(github, foundHash(hash), "keys"),
    });
    const [copied] = decision.effects.filter(({ kind }) => kind === "replaceKey");
    expect(copied).toMatchObject({ secret: { data: { "signing-secret": btoa(encodedSecret) } } });
    const path = "/webhooks/automation/demo.triage";
    expect(statusIn(decision).webhook).toEqual({ path, url: `https://hooks.example.com${path}` });
  });
});

function foundHash(value: string): Extract<SourceKey, { state: "found" }> {
  return { state: "found", dataKey: "sha256", value };
}

describe("an automation's conditions", () => {
  const found = foundHash(hash);
  const scheduled = (cron: string, timeZone = "UTC"): AutomationSpec["trigger"] => ({
    type: "Schedule",
    schedule: { cron, timeZone },
  });

  const tracker = (data: Record<string, string>) => ({
    automation: triage({ trigger: { type: "ErrorTracker", errorTracker: { events: ["IssueCreated"] } } as never }),
    keySecret: aSecret(data),
  });

  it.each([
    { name: "without a key", facts: {}, want: ["True Ready", "False KeyNotIssued", undefined] },
    { name: "without a signing secret", facts: tracker({}), want: ["True Ready", "False KeyNotIssued", undefined] },
    {
      name: "with a signing secret",
      facts: tracker({ "signing-secret": "s".repeat(16) }),
      want: ["True Ready", "True KeyIssued", undefined],
    },
    {
      name: "with an issued key",
      facts: { keySecret: aSecret({ sha256: hash }) },
      want: ["True Ready", "True KeyIssued", undefined],
    },
    {
      name: "whose senders sign, with a key's hash only",
      facts: { automation: signed({ preset: "github" }), keySecret: aSecret({ sha256: hash }) },
      want: ["True Ready", "False KeyNotIssued", undefined],
    },
    {
      name: "whose senders sign, with a secret",
      facts: { automation: signed({ preset: "github" }), keySecret: aSecret({ "signing-secret": "s".repeat(16) }) },
      want: ["True Ready", "True KeyIssued", undefined],
    },
    {
      name: "whose senders sign, with a secret of another scheme",
      facts: {
        automation: signed({ preset: "standard-webhooks" }),
        keySecret: aSecret({ "signing-secret": "s".repeat(16) }),
      },
      want: ["True Ready", "False KeyNotIssued", undefined],
    },
    {
      name: "whose senders sign, without the Secret that it names",
      facts: { automation: signed({ preset: "github" }), source: { state: "missing" as const } },
      want: ["False SecretNotFound", "False SecretNotFound", undefined],
    },
    { name: "with a copied hash", facts: { source: found }, want: ["True Ready", "True KeyIssued", undefined] },
    {
      name: "without its Secret",
      facts: { source: { state: "missing" as const } },
      want: ["False SecretNotFound", "False SecretNotFound", undefined],
    },
    {
      name: "with a bad hash",
      facts: { source: { state: "invalid" as const, message: "m" } },
      want: ["False KeyInvalid", "False KeyInvalid", "True KeyInvalid"],
    },
    {
      name: "with a schedule",
      facts: { automation: triage({ trigger: scheduled("0 9 * * *") }) },
      want: ["True Ready", undefined, undefined],
    },
    {
      name: "with slots that are too near",
      facts: { automation: triage({ trigger: scheduled("0,14 9 * * *") }) },
      want: ["False IntervalTooShort", undefined, "True IntervalTooShort"],
    },
    {
      name: "with slots that never come",
      facts: { automation: triage({ trigger: scheduled("0 0 30 2 *") }) },
      want: ["False InvalidSchedule", undefined, "True InvalidSchedule"],
    },
    {
      name: "with a zone of another tz database",
      facts: { automation: triage({ trigger: scheduled("0 9 * * *", "Mars/Phobos") }) },
      want: ["False UnknownTimeZone", undefined, "True UnknownTimeZone"],
    },
    {
      name: "for people only",
      facts: { automation: triage({ trigger: { type: "Manual" } }) },
      want: ["True Ready", undefined, undefined],
    },
    {
      name: "of an older schema",
      facts: { automation: triage({ instructions: "" }) },
      want: ["False InvalidSpec", "False KeyNotIssued", "True InvalidSpec"],
    },
  ])("$name: $want", ({ facts, want }) => {
    expect(shown(statusIn(decide(facts)))).toEqual(want);
  });

  it("name the field of a stored webhook that cannot be read, also in an Event", () => {
    const webhook = { filters: [{ path: "$.a", operator: "matches" }] };
    const { effects } = decide({ automation: triage({ trigger: { type: "Webhook", webhook } as never }) });
    const [write] = effects.filter(({ kind }) => kind === "writeStatus");
    const note = expect.stringContaining("spec.trigger.webhook.filters.0.operator") as string;
    expect(write).toMatchObject({
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", message: note })]) as [] },
      events: [{ type: "Warning", reason: "InvalidSpec", note }],
    });
  });

  it("lose what no longer holds", () => {
    const before = statusIn(decide({ source: { state: "invalid", message: "m" } }));
    const retried = retryingStatus(triage({}, before), "refused", now);
    const after = statusIn(decide({ automation: triage({}, retried), source: found }));
    expect(shown(after)).toEqual(["True Ready", "True KeyIssued", undefined]);
    expect(findCondition(after.conditions, "Reconciling")).toBeUndefined();
  });

  it("do not change when nothing does", () => {
    const automation = triage({}, statusIn(decide({ source: found })));
    const later = decide({ automation, source: found }, new Date(0));
    expect(later.effects.filter(({ kind }) => kind === "writeStatus")).toEqual([]);
    expect(later.gatheringMs).toBeUndefined();
  });
});

describe("a Run that has started", () => {
  const settled = triage({}, statusIn(decide()));
  const runs = [aRun({ status: { startTime: now.toISOString() } })];
  const writes = ({ effects }: AutomationDecision): object[] =>
    effects.flatMap((effect) => (effect.kind === "writeStatus" ? [effect.status] : []));

  it.each([1_000, 1])("is written with what else happens in %i ms", (activityMayWaitMs) => {
    const decision = decide({ automation: settled, runs, activityMayWaitMs });
    expect([writes(decision), decision.gatheringMs]).toEqual([[], activityMayWaitMs]);
  });

  it("is written then", () => {
    const decision = decide({ automation: settled, runs, activityMayWaitMs: 0 });
    expect(writes(decision)).toMatchObject([{ activeRuns: 1 }]);
    expect(decision.gatheringMs).toBeUndefined();
  });
});

function sourceOf(from: string | undefined): AutomationFacts["source"] {
  if (from === undefined) return undefined;
  return from === "missing" ? { state: "missing" } : foundHash(from);
}

describe("the copy of a hash", () => {
  const copy = makeKeyCopy(triage(), foundHash(hash), "keys");
  const issued = aSecret({ sha256: hash });

  it.each([
    { name: "is made", keySecret: undefined, from: hash, want: ["createKey"] },
    { name: "stays", keySecret: copy, from: hash, want: [] },
    { name: "follows its source", keySecret: copy, from: other, want: ["replaceKey"] },
    { name: "takes the place of an issued key", keySecret: issued, from: hash, want: ["replaceKey"] },
    { name: "goes with its source", keySecret: copy, from: "missing", want: ["deleteKey"] },
    { name: "goes when it is named no more", keySecret: copy, from: undefined, want: ["deleteKey"] },
    { name: "is not taken for an issued key", keySecret: issued, from: undefined, want: [] },
    { name: "opens nothing when its source is missing", keySecret: issued, from: "missing", want: ["deleteKey"] },
    { name: "is not there to go", keySecret: undefined, from: "missing", want: [] },
  ])("$name", ({ keySecret, from, want }) => {
    const { effects } = decide({ keySecret, source: sourceOf(from) });
    expect(effects.map(({ kind }) => kind)).toEqual([...want, "writeStatus"]);
  });

  it("is looked after often until there is one and once a minute then", () => {
    expect(decide().keysCountMs).toBe(10_000);
    expect(decide({ keySecret: issued }).keysCountMs).toBe(60_000);
    expect(decide({ automation: triage({ trigger: { type: "Manual" } }) }).keysCountMs).toBeUndefined();
  });
});

describe("events", () => {
  const fresh = statusIn(decide());

  it("report of a new automation only that it is ready", () => {
    expect(transitions(undefined, fresh).map(({ reason }) => reason)).toEqual(["Ready"]);
  });

  it("report nothing when nothing changed", () => {
    expect(transitions(fresh, fresh)).toEqual([]);
  });

  it.each([
    {
      name: "a key",
      after: statusIn(decide({ keySecret: aSecret({ sha256: hash }) })),
      want: [["Normal", "KeyIssued"]],
    },
    {
      name: "a pause by hand",
      after: statusIn(decide({ automation: triage({ suspend: true }) })),
      want: [["Normal", "Suspended"]],
    },
    {
      name: "a lost key",
      after: statusIn(decide({ source: { state: "missing" } })),
      want: [["Warning", "SecretNotFound"]],
    },
  ])("report $name", ({ after, want }) => {
    expect(transitions(fresh, after).map(({ type, reason }) => [type, reason])).toEqual(want);
  });

  it("report the end of a pause", () => {
    const paused = statusIn(decide({ automation: triage({ suspend: true }) }));
    expect(transitions(paused, fresh).map(({ reason }) => reason)).toEqual(["Resumed"]);
  });
});

it.each([
  ["SecretsTooLarge", ["False SecretsTooLarge", "False KeyNotIssued", "True SecretsTooLarge"]],
  ["InvalidSecret", ["False InvalidSecret", "False KeyNotIssued", "True InvalidSecret"]],
  ["SecretNotFound", ["False SecretNotFound", "False KeyNotIssued", undefined]],
] as const)("an automation whose sessions would fail as %s says so before", (reason, want) => {
  expect(shown(statusIn(decide({ secretsRefusal: { reason, message: "which" } })))).toEqual(want);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DeliveryLogSpec, type LoggedDelivery, type RefusalCount } from "../../api/v1alpha1/index.ts";
import { mergedDeliveryLog } from "./delivery-log.ts";
import { loggedDelivery, type AnsweredDelivery } from "./logged-delivery.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 4, 4, 10, 0, second)).toISOString();

function entry(second: number, rest: Partial<LoggedDelivery> = {}): LoggedDelivery {
  return {
    id: `d${second}`,
    time: at(second),
    decision: "Started",
    message: "",
    httpStatus: 200,
    bodyBytes: 2,
    ...rest,
  };
}

const ids = ({ deliveries = [] }: DeliveryLogSpec): string[] => deliveries.map(({ id }) => id);

describe("merged logs", () => {
  it.each([
    { fresh: 99, want: 99 },
    { fresh: 100, want: 100 },
    { fresh: 101, want: 100 },
  ])("keep the newest 100 of $fresh", ({ fresh, want }) => {
    const deliveries = Array.from({ length: fresh }, (_, second) => entry(second));
    const { deliveries: kept = [] } = mergedDeliveryLog({ deliveries: deliveries.slice(0, 50) }, { deliveries });
    expect(kept).toHaveLength(want);
    expect([kept[0]?.id, kept.at(-1)?.id]).toEqual([`d${fresh - 1}`, `d${fresh - want}`]);
  });

  it.each([
    { name: "below", bytes: 8_191, kept: 4 },
    { name: "at", bytes: 8_192, kept: 4 },
  ])("keep bodies $name 32 KiB, the newest of them", ({ bytes, kept }) => {
    const deliveries = Array.from({ length: 6 }, (_, second) => entry(second, { body: "x".repeat(bytes) }));
    const merged = mergedDeliveryLog({}, { deliveries }).deliveries ?? [];
    expect(merged.map(({ body, bodyOmission }) => (body ? "kept" : bodyOmission))).toEqual(
      merged.map((_, index) => (index < kept ? "kept" : "MadeRoom")),
    );
  });

  it.each([
    { name: "exactly full", last: 8_192, want: [true, true, true, true] },
    { name: "a byte too many", last: 8_193, want: [true, true, true, false] },
  ])("count bytes of bodies, not characters: $name", ({ last, want }) => {
    const bodies = ["é".repeat(4_096), "x".repeat(8_192), "x".repeat(8_192), "x".repeat(last)];
    const deliveries = bodies.map((body, index) => entry(10 - index, { body }));
    const merged = mergedDeliveryLog({ deliveries }, { deliveries: [] }).deliveries ?? [];
    expect(merged.map(({ body }) => body !== undefined)).toEqual(want);
  });

  it("drop an older small body rather than a newer large one", () => {
    const large = Array.from({ length: 5 }, (_, second) => entry(second + 1, { body: "x".repeat(8_192) }));
    const { deliveries = [] } = mergedDeliveryLog({ deliveries: [entry(0, { body: "1" })] }, { deliveries: large });
    expect(deliveries.map(({ body }) => body?.length)).toEqual([8_192, 8_192, 8_192, 8_192, undefined, undefined]);
  });

  const count = (reason: RefusalCount["reason"], count: number, second: number): RefusalCount => ({
    reason,
    count,
    lastTime: at(second),
  });

  it("add counts, and know when the last request came", () => {
    const stored = { refusals: [count("WrongKey", 2, 9), count("MissingKey", 1, 1)] };
    const refusals = [count("WrongKey", 3, 5), count("PayloadTooLarge", 1, 7), count("MissingKey", 1, 2)];
    const counted = { writer: { id: "one", sequence: 1 }, refusals };
    expect(mergedDeliveryLog(stored, { deliveries: [], counted }).refusals).toEqual([
      count("WrongKey", 5, 9),
      count("MissingKey", 2, 2),
      count("PayloadTooLarge", 1, 7),
    ]);
  });

  it.each([
    { name: "before", sequence: 6, want: 2 },
    { name: "same", sequence: 7, want: 2 },
    { name: "next", sequence: 8, want: 5 },
  ])("add the counts of a writer once: of the $name number", ({ sequence, want }) => {
    const stored = { refusals: [count("WrongKey", 2, 1)], writers: [{ id: "one", sequence: 7 }] };
    const counted = { writer: { id: "one", sequence }, refusals: [count("WrongKey", 3, 2)] };
    const merged = mergedDeliveryLog(stored, { deliveries: [], counted });
    expect(merged.refusals?.map(({ count }) => count)).toEqual([want]);
    expect(merged.writers).toEqual([{ id: "one", sequence: Math.max(7, sequence) }]);
  });

  it.each([
    { known: 31, want: 32, last: "w30" },
    { known: 32, want: 32, last: "w30" },
  ])("know the last 32 writers: a new one beside $known", ({ known, want, last }) => {
    const writers = Array.from({ length: known }, (_, index) => ({ id: `w${index}`, sequence: 1 }));
    const counted = { writer: { id: "new", sequence: 1 }, refusals: [count("WrongKey", 1, 1)] };
    const merged = mergedDeliveryLog({ writers }, { deliveries: [], counted });
    expect(merged.writers).toHaveLength(want);
    expect([merged.writers?.at(0)?.id, merged.writers?.at(-1)?.id]).toEqual(["new", last]);
  });

  const entries = fc
    .uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 150 })
    .map((seconds) => ({ deliveries: seconds.map((second) => entry(second, { body: "x".repeat(second * 20) })) }));

  it("come to the same whatever the order of the writers, and merging again changes nothing", () => {
    fc.assert(
      fc.property(entries, entries, entries, (a, b, c) => {
        const one = mergedDeliveryLog(mergedDeliveryLog(mergedDeliveryLog({}, a), b), c);
        const other = mergedDeliveryLog(mergedDeliveryLog(mergedDeliveryLog({}, c), a), b);
        expect(ids(one)).toEqual(ids(other));
        expect(mergedDeliveryLog(one, { deliveries: one.deliveries ?? [] })).toEqual(one);
        expect(DeliveryLogSpec.safeParse(one).success).toBe(true);
      }),
    );
  });
});

describe("an entry", () => {
  const answered: AnsweredDelivery = {
    id: "d",
    receivedAt: new Date(at(0)),
    bodyBytes: 2,
    payload: "{}",
    outcome: { verdict: "unmatched", message: "filters[0]: no" },
    httpStatus: 200,
  };

  it.each([
    { verdict: "triggered", decision: "Started", body: undefined },
    { verdict: "skipped", decision: "Duplicate", body: undefined },
    { verdict: "unmatched", decision: "Filtered", body: "{}" },
    { verdict: "paused", decision: "Paused", body: "{}" },
  ] as const)("of $verdict says $decision, with a body where nothing else has it", ({ verdict, decision, body }) => {
    const logged = loggedDelivery({ ...answered, outcome: { verdict, message: "why", runName: "run" } });
    expect(logged).toMatchObject({ id: "d", time: at(0), decision, message: "why", runName: "run", httpStatus: 200 });
    expect(logged?.body).toBe(body);
  });

  it.each(["RateLimited", "InvalidPayload", "TooManyUnfinishedRuns", "Throttled", "Unavailable"] as const)(
    "of a refusal names it and its cause: %s",
    (code) => {
      const outcome = new Refusal({ code, message: "why", cause: "quota" });
      expect(loggedDelivery({ ...answered, outcome, httpStatus: 429 })).toMatchObject({
        decision: code,
        message: "why (quota)",
        httpStatus: 429,
      });
    },
  );

  it("is not made where the namespace is going away", () => {
    const outcome = new Refusal({ code: "NotFound", message: "gone" });
    expect(loggedDelivery({ ...answered, outcome })).toBeUndefined();
  });

  it.each([
    { name: "8,191 bytes", payload: "x".repeat(8_191), want: undefined },
    { name: "8,192 bytes", payload: "é".repeat(4_096), want: undefined },
    { name: "8,193 bytes", payload: `${"é".repeat(4_096)}x`, want: "TooLarge" },
  ])("keeps a body of $name or says that it is too large", ({ payload, want }) => {
    const logged = loggedDelivery({ ...answered, payload });
    expect(logged?.bodyOmission).toBe(want);
    expect(logged?.body).toBe(want ? undefined : payload);
  });

  it.each([1_023, 1_024, 1_025])("has a message of at most 1,024 characters: %i", (characters) => {
    const outcome = { verdict: "paused", message: "é".repeat(characters) } as const;
    expect(loggedDelivery({ ...answered, outcome })?.message).toHaveLength(Math.min(1_024, characters));
  });
});

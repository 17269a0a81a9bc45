import { describe, expect, it } from "vitest";

import { anAutomation, aRun } from "../../../test/support/builders.ts";
import type { AutomationSpec, DeliveryLog, LoggedDelivery, Run } from "../../api/v1alpha1/index.ts";
import { systemRandom } from "../../lib/random.ts";
import { entryOf, replayRun, storedDelivery, type FoundEntry } from "./replay-deliveries.ts";

const entry: LoggedDelivery = {
  id: "d1",
  time: "2026-05-04T10:15:00.000Z",
  decision: "Filtered",
  message: "",
  httpStatus: 200,
  bodyBytes: 2,
};
const logged = (rest: Partial<LoggedDelivery>): FoundEntry => ({
  automationName: "alerts",
  delivery: { ...entry, ...rest },
});
const run = (deliveryID: string, payload?: string): Run =>
  aRun({
    metadata: { name: "alerts-x" },
    spec: {
      automationRef: { name: "alerts" },
      trigger: { type: "Webhook", deliveryID, ...(payload === undefined ? {} : { payload }) },
    },
  });

it("finds an entry in whichever log has it", () => {
  const log = (name: string, ...deliveries: LoggedDelivery[]): DeliveryLog => ({
    metadata: { name },
    spec: { deliveries },
  });
  const logs = [log("other", { ...entry, id: "d0" }), { metadata: { name: "empty" }, spec: {} }, log("alerts", entry)];
  expect(entryOf("d1", logs)).toEqual({ automationName: "alerts", delivery: entry });
  expect(entryOf("d2", logs)).toBeUndefined();
});

describe("what is left of a delivery", () => {
  it("is the body that its entry keeps", () => {
    expect(storedDelivery("d1", logged({ body: "[1]" }), undefined).payload).toBe("[1]");
  });

  it("is the payload of its Run, with an entry or without", () => {
    const stored = { automationName: "alerts", payload: "[2]" };
    expect(storedDelivery("d1", logged({ decision: "Started", runName: "alerts-x" }), run("d1", "[2]"))).toEqual(
      stored,
    );
    expect(storedDelivery("d1", undefined, run("d1", "[2]"))).toEqual(stored);
  });

  it.each([
    { name: "no log and no Run has it", entry: undefined, run: undefined, says: "neither a DeliveryLog nor a Run" },
    { name: "its Run was emptied", entry: undefined, run: run("d1"), says: "its payload was removed" },
    {
      name: "its Run is gone",
      entry: logged({ decision: "Started", runName: "alerts-x" }),
      run: undefined,
      says: "Run alerts-x is no longer there",
    },
    {
      name: "it was a duplicate",
      entry: logged({ decision: "Duplicate", runName: "alerts-x" }),
      run: run("d0", "[]"),
      says: "Replay the delivery that it repeated, d0",
    },
    { name: "it was refused", entry: logged({ decision: "RateLimited" }), run: undefined, says: "RateLimited" },
    { name: "it was too large", entry: logged({ bodyOmission: "TooLarge" }), run: undefined, says: "TooLarge" },
  ])("is nothing when $name", ({ entry, run, says }) => {
    expect(() => storedDelivery("d1", entry, run)).toThrow(says);
  });
});

describe("the Run of a replay", () => {
  const trigger = {
    type: "Webhook",
    webhook: { filters: [{ path: "$.a", operator: "exists" }] },
  } as AutomationSpec["trigger"];
  const metadata = { namespace: "demo", name: "alerts", uid: "u", generation: 4 };
  const automation = anAutomation({ metadata, spec: { trigger } });
  const now = new Date("2026-05-04T10:15:00.000Z");
  const options = { deliveryId: "d1", now, random: systemRandom, ignoreFilters: false };
  const stored = { automationName: "alerts", payload: '{"a": 1, "idempotencyKey": "k"}' };

  it("has the body as it was, another delivery id and a key of its own", () => {
    const made = replayRun(automation, stored, options);
    const again = replayRun(automation, stored, options);
    expect(made).toMatchObject({
      metadata: {
        namespace: "demo",
        labels: { "runwright.dev/automation-uid": "u" },
        annotations: { "runwright.dev/replay-of": "d1" },
      },
      spec: {
        automationRef: { name: "alerts", uid: "u", generation: 4 },
        trigger: { type: "Webhook", time: "2026-05-04T10:15:00.000Z", payload: stored.payload },
      },
    });
    const facts = [made, again].flatMap(({ metadata, spec: { trigger } }) => [
      metadata.name,
      trigger.deliveryID,
      trigger.idempotencyKey,
    ]);
    expect(new Set([...facts, "k", "d1"]).size).toBe(8);
  });

  it("is not made where the filters do not match, unless the person says so", () => {
    const unmatched = { ...stored, payload: "{}" };
    expect(() => replayRun(automation, unmatched, options)).toThrow("$.a is missing, but must be there");
    const forced = replayRun(automation, unmatched, { ...options, ignoreFilters: true });
    expect(forced.spec.trigger.payload).toBe("{}");
  });

  it("is not made for another trigger", () => {
    const trigger = { type: "ErrorTracker" } as AutomationSpec["trigger"];
    const tracker = { ...automation, spec: { ...automation.spec, trigger } };
    expect(() => replayRun(tracker, stored, options)).toThrow("only deliveries of type Webhook can be replayed");
  });

  it("is not made of a paused automation, whatever the person says", () => {
    const paused = anAutomation({ metadata, spec: { trigger, suspend: true } });
    for (const ignoreFilters of [false, true]) {
      expect(() => replayRun(paused, stored, { ...options, ignoreFilters })).toThrow("Resume it");
    }
  });
});

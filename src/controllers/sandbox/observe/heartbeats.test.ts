import { beforeEach, describe, expect, it } from "vitest";
import { annotations, labels } from "../../../api/v1alpha1/names.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { keyText } from "../../../lib/resource.ts";
import { GatewayPresence } from "./gateway-presence.ts";
import { Heartbeats } from "./heartbeats.ts";

let clock: FakeClock;
let stale: string[];
let gateways: GatewayPresence;
let heartbeats: Heartbeats;
let beats = 0;
let goesOn: boolean;

const isStale = "sandbox of team/fix";

beforeEach(() => {
  clock = new FakeClock();
  stale = [];
  goesOn = true;
  gateways = new GatewayPresence(clock);
  heartbeats = new Heartbeats(
    { clock, gateways, ownerKind: "Session", goesOn: () => goesOn },
    (name, owner) => void stale.push(`${name} of ${keyText(owner)}`),
  );
  gateways.begin();
});

function aLease(name: string, renewTime: string): Lease {
  const own = { [labels.sessionNamespace]: "team", [labels.sessionName]: "fix" };
  return { metadata: { name, labels: own }, spec: { renewTime } };
}

function sandbox(renewTime: string, held?: { by: string; silentSince?: string }): void {
  const object = aLease("sandbox", renewTime);
  if (held) object.spec = { renewTime, holderIdentity: held.by };
  if (held?.silentSince) object.metadata.annotations = { [annotations.silentSince]: held.silentSince };
  heartbeats.leaseChanged({ type: "added", object });
}

function gateway(holderIdentity = "gateway_a"): void {
  beats += 1;
  const object: Lease = { metadata: { name: "gateway" }, spec: { renewTime: String(beats), holderIdentity } };
  if (gateways.changed({ type: "added", object }) === "back") heartbeats.restart();
}

/** Time passes in steps in which the gateways are heard. */
function pass(ms: number): void {
  for (let leftMs = ms; leftMs > 0; leftMs -= 5_000) {
    gateway();
    clock.advance(Math.min(leftMs, 5_000));
  }
}

it.each([
  [89_999, false],
  [90_000, false],
  [90_001, true],
])("judges a sandbox that was last heard %d ms ago: stale %s", (ms, want) => {
  sandbox("1");
  pass(ms);
  expect(heartbeats.isStale("sandbox")).toBe(want);
  expect(stale).toEqual(want ? [isStale] : []);
});

it("takes only another renewal for a sign of life", () => {
  sandbox("1");
  pass(60_000);
  sandbox("1");
  pass(30_001);
  expect(heartbeats.isStale("sandbox")).toBe(true);
});

it("counts from the last renewal", () => {
  sandbox("1");
  pass(60_000);
  sandbox("2");
  pass(90_000);
  expect(stale).toEqual([]);
  pass(1);
  expect(stale).toEqual([isStale]);
});

it("judges no sandbox while no gateway speaks, however long", () => {
  sandbox("1");
  clock.advance(10_000_000);
  expect(heartbeats.isStale("sandbox")).toBe(false);
  expect(stale).toEqual([]);
});

it.each([
  [15_000, [isStale]],
  [15_001, []],
])("after gateways were silent for %d ms, a sandbox silent since before is: %j", (silentMs, want) => {
  sandbox("1");
  pass(70_000);
  gateway();
  clock.advance(silentMs);
  gateway();
  clock.advance(5_001);
  expect(stale).toEqual(want);
});

it("counts anew when the Leases were listed again", () => {
  sandbox("1");
  pass(89_000);
  heartbeats.restart();
  pass(90_000);
  expect(stale).toEqual([]);
  pass(1);
  expect(stale).toEqual([isStale]);
});

it("counts on when the Lease is deleted, until there is another", () => {
  const lease = aLease("sandbox", "1");
  heartbeats.leaseChanged({ type: "added", object: lease });
  pass(60_000);
  heartbeats.leaseChanged({ type: "deleted", object: lease, old: lease });
  pass(30_000);
  expect(stale).toEqual([]);
  pass(1);
  expect(stale).toEqual([isStale]);
  sandbox("2");
  expect(heartbeats.isStale("sandbox")).toBe(false);
});

it("leaves no timer behind at the end", () => {
  sandbox("1");
  heartbeats.stop();
  expect(clock.timers).toBe(0);
});

it.each([{}, { held: { by: "gateway_a" } }])("forgets a sandbox that is over, %j", ({ held }) => {
  sandbox("1", held);
  goesOn = false;
  pass(90_001);
  expect(heartbeats.has("sandbox")).toBe(false);
  expect(clock.timers).toBe(0);
  expect(stale).toEqual([]);
});

describe("a sandbox that its gateway vouches for", () => {
  it("is heard with each renewal of the gateway's own Lease", () => {
    sandbox("1", { by: "gateway_a" });
    pass(3_600_000);
    expect(stale).toEqual([]);
  });

  it.each([
    [90_000, []],
    [90_001, [isStale]],
  ])("is, when the gateway has another identity since %d ms: %j", (ms, want) => {
    sandbox("1", { by: "gateway_a" });
    pass(300_000);
    gateway();
    for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
      clock.advance(Math.min(5_000, ms - passedMs));
      gateway("gateway_b");
    }
    expect(stale).toEqual(want);
  });

  it("counts from its own Lease where the gateway was never heard", () => {
    sandbox("1", { by: "gateway-9_x" });
    pass(90_000);
    expect(stale).toEqual([]);
    pass(1);
    expect(stale).toEqual([isStale]);
  });

  it.each([
    ["35 s before it was noted", "2026-05-04T10:00:00.000Z", 55_000],
    ["longer before than the limit", "2026-05-04T09:00:00.000Z", 0],
    ["after it, by a clock that was set", "2026-05-04T10:30:00.000Z", 90_000],
    ["at no time", "nonsense", 90_000],
  ])("is stale when it has beaten last %s", (_when, silentSince, leftMs) => {
    sandbox("2026-05-04T10:00:35.000000Z", { by: "gateway_a", silentSince });
    pass(leftMs);
    expect(heartbeats.isStale("sandbox")).toBe(false);
    pass(1);
    expect(heartbeats.isStale("sandbox")).toBe(true);
  });

  it("beats again when nothing says any more that it is silent", () => {
    sandbox("2026-05-04T10:00:35.000000Z", { by: "gateway_a", silentSince: "2026-05-04T10:00:00.000Z" });
    pass(50_000);
    sandbox("2026-05-04T10:01:25.000000Z", { by: "gateway_a" });
    pass(600_000);
    expect(stale).toEqual([]);
  });

  it("has its whole time after gateways that were all away, though it was noted as silent", () => {
    sandbox("2026-05-04T10:00:35.000000Z", { by: "gateway_a", silentSince: "2026-05-04T10:00:00.000Z" });
    pass(30_000);
    clock.advance(3_600_000);
    pass(90_000);
    expect(stale).toEqual([]);
    pass(1);
    expect(stale).toEqual([isStale]);
  });
});

describe("a sandbox of a gateway of the previous version", () => {
  it.each([undefined, "2026-05-04T10:00:00.000Z"])(
    "is judged by its own renewals (left by a newer one: %s)",
    (left) => {
      const held = { by: "gateway", ...(left && { silentSince: left }) };
      for (let beat = 0; beat < 10; beat += 1) {
        sandbox(String(beat), held);
        for (let passedMs = 0; passedMs < 30_000; passedMs += 5_000) {
          gateway("gateway");
          clock.advance(5_000);
        }
      }
      expect(stale).toEqual([]);
      for (let passedMs = 0; passedMs < 60_000; passedMs += 5_000) {
        gateway("gateway");
        clock.advance(5_000);
      }
      gateway("gateway");
      expect(stale).toEqual([]);
      clock.advance(1);
      expect(stale).toEqual([isStale]);
    },
  );
});

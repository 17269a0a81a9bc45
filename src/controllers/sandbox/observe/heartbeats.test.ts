import { beforeEach, expect, it } from "vitest";
import { labels } from "../../../api/v1alpha1/names.ts";
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

const isStale = "sandbox of team/fix";

beforeEach(() => {
  clock = new FakeClock();
  stale = [];
  gateways = new GatewayPresence(clock);
  heartbeats = new Heartbeats(
    { clock, gateways, ownerKind: "Session" },
    (name, owner) => void stale.push(`${name} of ${keyText(owner)}`),
  );
  gateways.begin();
});

function aLease(name: string, renewTime: string): Lease {
  const own = { [labels.sessionNamespace]: "team", [labels.sessionName]: "fix" };
  return { metadata: { name, labels: own }, spec: { renewTime } };
}

function sandbox(renewTime: string): void {
  heartbeats.leaseChanged({ type: "added", object: aLease("sandbox", renewTime) });
}

function gateway(): void {
  beats += 1;
  if (gateways.changed({ type: "added", object: aLease("gateway", String(beats)) })) heartbeats.restart();
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

it("leaves no timer behind of one that is forgotten, or at the end", () => {
  sandbox("1");
  heartbeats.forget("sandbox");
  expect(heartbeats.has("sandbox")).toBe(false);
  expect(clock.timers).toBe(0);
  sandbox("2");
  heartbeats.stop();
  expect(clock.timers).toBe(0);
});

import { beforeEach, describe, expect, it } from "vitest";
import type { Lease } from "../../../kube/core-resources.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { GatewayPresence } from "./gateway-presence.ts";

let clock: FakeClock;
let gateways: GatewayPresence;
let renewals = 0;

beforeEach(() => {
  clock = new FakeClock();
  gateways = new GatewayPresence(clock);
  clock.advance(1_000_000);
  gateways.begin();
});

function aLease(name: string, renewTime: string): Lease {
  return { metadata: { name }, spec: { renewTime } };
}

function renew(name = "gateway-0"): boolean {
  renewals += 1;
  return gateways.changed({ type: "added", object: aLease(name, String(renewals)) });
}

it.each([
  [15_000, false, 35_000],
  [15_001, true, 0],
])("after %d ms without a renewal they are silent: %s", (ms, silent, reachableMs) => {
  clock.advance(15_000);
  renew();
  clock.advance(5_000);
  renew();
  clock.advance(ms);
  expect(gateways.isSilent()).toBe(silent);
  expect(gateways.reachableMs()).toBe(reachableMs);
  expect(renew()).toBe(silent);
  expect(gateways.isSilent()).toBe(false);
  clock.advance(15_000);
  expect(gateways.reachableMs()).toBe(reachableMs + 15_000);
});

it("counts from the begin of a leadership, whatever was seen before", () => {
  renew();
  clock.advance(10_000);
  gateways.begin();
  clock.advance(4_000);
  expect(gateways.reachableMs()).toBe(4_000);
});

it("counts on while one of several goes on", () => {
  for (let round = 0; round < 10; round += 1) {
    if (round < 5) renew("gateway-1");
    renew("gateway-0");
    clock.advance(5_000);
  }
  gateways.changed({ type: "deleted", object: aLease("gateway-1", "1"), old: aLease("gateway-1", "1") });
  expect(gateways.reachableMs()).toBe(50_000);
});

it("does not take the Lease of a dead replica, listed again, for a gateway that is back", () => {
  const dead = aLease("gateway-dead", "1");
  gateways.changed({ type: "added", object: dead });
  clock.advance(80_000);
  expect(gateways.changed({ type: "updated", object: dead, old: dead })).toBe(false);
  expect(gateways.isSilent()).toBe(true);
});

describe("an outage", () => {
  const startMs = Date.parse("2026-05-04T10:00:00.000Z");
  const at = (ms: number): number => startMs + 1_000_000 + ms;

  beforeEach(() => {
    clock = new FakeClock("2026-05-04T10:00:00.000Z");
    gateways = new GatewayPresence(clock);
    clock.advance(1_000_000);
    gateways.begin();
  });

  it("goes on from the last renewal once that is more than 15 s ago, and ends with the next one", () => {
    clock.advance(5_000);
    renew();
    clock.advance(15_000);
    expect(gateways.outage()).toBeUndefined();
    clock.advance(1);
    expect(gateways.outage()).toEqual({ fromMs: at(5_000) });
    clock.advance(3_600_000);
    expect(gateways.outage()).toEqual({ fromMs: at(5_000) });
    renew();
    const whole = { fromMs: at(5_000), untilMs: at(3_620_001) };
    expect(gateways.outage()).toEqual(whole);
    clock.advance(10_000);
    renew();
    expect(gateways.outage()).toEqual(whole);
  });

  it("is as long as it was although the wall clock was set meanwhile", () => {
    clock.advance(20_000);
    clock.setForward(86_400_000);
    clock.advance(40_000);
    renew();
    const { fromMs = 0, untilMs = 0 } = gateways.outage() ?? {};
    expect(untilMs - fromMs).toBe(60_000);
  });
});

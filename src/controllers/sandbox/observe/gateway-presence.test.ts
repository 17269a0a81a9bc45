import { beforeEach, describe, expect, it } from "vitest";
import type { Lease } from "../../../kube/core-resources.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { type GatewayNews, GatewayPresence } from "./gateway-presence.ts";

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

function renew(name = "gateway-0"): GatewayNews | undefined {
  renewals += 1;
  return gateways.changed({ type: "added", object: aLease(name, String(renewals)) });
}

it.each([
  [15_000, false, undefined, 35_000],
  [15_001, true, "back", 0],
])("after %d ms without a renewal they are silent: %s", (ms, silent, news, reachableMs) => {
  clock.advance(15_000);
  expect(renew()).toBe("seen");
  clock.advance(5_000);
  renew();
  clock.advance(ms);
  expect(gateways.isSilent()).toBe(silent);
  expect(gateways.reachableMs()).toBe(reachableMs);
  expect(renew()).toBe(news);
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
  expect(gateways.changed({ type: "updated", object: dead, old: dead })).toBeUndefined();
  expect(gateways.isSilent()).toBe(true);
});

describe("a new leader", () => {
  const startMs = Date.parse("2026-05-04T10:00:00.000Z");
  const at = (ms: number): number => startMs + ms;

  beforeEach(() => {
    clock = new FakeClock("2026-05-04T10:00:00.000Z");
    gateways = new GatewayPresence(clock);
  });

  /** The Leases as they are listed when a process starts. */
  function list(): void {
    for (const name of ["gateway-0", "gateway-1"]) expect(renew(name)).toBeUndefined();
  }

  it.each([0, 4_999, 15_000])(
    "assumes an outage until the first renewal, %d ms after it began, and counts none",
    (ms) => {
      list();
      gateways.begin();
      expect(gateways.outage()).toEqual({ fromMs: at(0), isAssumed: true });
      expect(gateways.isSilent()).toBe(true);
      clock.advance(ms);
      expect(gateways.outage()).toEqual({ fromMs: at(0), isAssumed: true });
      expect(renew()).toBe("seen");
      expect(gateways.outage()).toBeUndefined();
      expect(gateways.isSilent()).toBe(false);
      expect(gateways.reachableMs()).toBe(ms);
      expect(renew("gateway-1")).toBeUndefined();
    },
  );

  it("counts the outage from its begin where nothing is renewed within 15 s, and nothing was known before", () => {
    gateways.begin();
    clock.advance(15_001);
    expect(gateways.outage()).toEqual({ fromMs: at(0) });
    clock.advance(3_600_000);
    expect(renew()).toBe("back");
    expect(gateways.outage()).toEqual({ fromMs: at(0), untilMs: at(3_615_001) });
  });

  it("counts an outage that began before it from the last renewal that it saw as a follower", () => {
    list();
    clock.advance(5_000);
    renew();
    clock.advance(3_600_000);
    gateways.begin();
    expect(gateways.outage()).toEqual({ fromMs: at(5_000) });
    expect(gateways.reachableMs()).toBe(0);
    clock.advance(1_000);
    expect(renew()).toBe("back");
    expect(gateways.outage()).toEqual({ fromMs: at(5_000), untilMs: at(3_606_000) });
  });

  it("knows nothing of an outage that was over before it began, which the former leader has counted", () => {
    list();
    clock.advance(3_600_000);
    renew();
    gateways.begin();
    expect(renew()).toBe("seen");
    expect(gateways.outage()).toBeUndefined();
  });

  it("takes no Lease that is as it was listed for a gateway", () => {
    const dead = aLease("gateway-dead", "1");
    gateways.changed({ type: "added", object: dead });
    gateways.begin();
    expect(gateways.changed({ type: "added", object: dead })).toBeUndefined();
    expect(gateways.changed({ type: "deleted", object: dead, old: dead })).toBeUndefined();
    expect(gateways.outage()).toMatchObject({ isAssumed: true });
  });
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

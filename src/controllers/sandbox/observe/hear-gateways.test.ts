import { beforeEach, expect, it } from "vitest";
import type { ChangeHandler } from "../../../kube/informer.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { GatewayPresence } from "./gateway-presence.ts";
import { hearGateways } from "./hear-gateways.ts";

let clock: FakeClock;
let gateways: GatewayPresence;
let said: string[];
let handlers: Set<ChangeHandler<Lease>>;
let renewals = 0;

beforeEach(() => {
  clock = new FakeClock();
  gateways = new GatewayPresence(clock);
  said = [];
  handlers = new Set();
});

function hear(): () => void {
  const onChange = (handler: ChangeHandler<Lease>): (() => void) => {
    handlers.add(handler);
    return () => void handlers.delete(handler);
  };
  return hearGateways(
    { onChange },
    { gateways, heartbeats: { restart: () => void said.push("restart") }, goOn: () => void said.push("go on") },
  );
}

function renew(): void {
  renewals += 1;
  const object: Lease = { metadata: { name: "gateway-0" }, spec: { renewTime: String(renewals) } };
  for (const handler of handlers) handler({ type: "added", object });
}

it("has clocks go on once after a change of leader, and heartbeats count on", () => {
  hear();
  renew();
  clock.advance(5_000);
  gateways.begin();
  expect(said).toEqual([]);
  clock.advance(5_000);
  renew();
  renew();
  expect(said).toEqual(["go on"]);
});

it.each([
  [15_000, []],
  [15_001, ["restart", "go on"]],
])("after %d ms without a renewal: %j", (ms, want) => {
  hear();
  gateways.begin();
  renew();
  said = [];
  clock.advance(ms);
  renew();
  expect(said).toEqual(want);
});

it("has heartbeats begin anew after an outage that began under the former leader", () => {
  hear();
  renew();
  clock.advance(3_600_000);
  gateways.begin();
  renew();
  expect(said).toEqual(["restart", "go on"]);
});

it("hears nothing once it was ended", () => {
  hear()();
  gateways.begin();
  renew();
  expect(said).toEqual([]);
});

import { expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ProviderError } from "../provider-error.ts";
import type { GitHubCall } from "./github-request.ts";
import { Redeliveries } from "./redeliveries.ts";

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const integration = {
  metadata: { name: "github", namespace: "shop", uid: "u1" },
  spec: { type: "GitHub", github: { appID: 1, slug: "helper", installationID: 5, repositories: [] } },
} as unknown as Integration;

/** GitHub's list of deliveries, with one that failed at each of these ages in milliseconds. */
function github(clock: FakeClock, agesMs: readonly number[]) {
  const startMs = clock.now().getTime();
  const listed = agesMs.map((ageMs, id) => ({
    id,
    guid: `g${id}`,
    delivered_at: new Date(startMs - ageMs).toISOString(),
    status_code: 503,
    event: "issue_comment",
    installation_id: 5,
  }));
  const calls: string[] = [];
  const state = { isAway: false, calls };
  const callAsApp = <Data>(_integration: Integration, { operation, parameters }: GitHubCall<Data>) => {
    calls.push(operation === "redeliver" ? `redeliver ${String(parameters.delivery_id)}` : operation);
    if (state.isAway) return Promise.reject(new ProviderError("unavailable", "away"));
    return Promise.resolve({ data: listed as Data, next: undefined });
  };
  return { state, looks: new Redeliveries({ clock, github: { callAsApp } }) };
}

it("the first look is at 3 days, later ones at the time since the last with half an hour before it", async () => {
  const clock = new FakeClock();
  const { state, looks } = github(clock, [3 * dayMs + 1, 3 * dayMs, 31 * minuteMs, 30 * minuteMs]);
  await looks.look(integration);
  expect(state.calls.splice(0)).toEqual(["list-deliveries", "redeliver 1", "redeliver 2", "redeliver 3"]);
  clock.advance(10 * minuteMs);
  await looks.look(integration);
  expect(state.calls).toEqual(["list-deliveries", "redeliver 3"]);
});

it("looks every 10 minutes, and says when the next look is due", async () => {
  const clock = new FakeClock();
  const { state, looks } = github(clock, []);
  expect(await looks.look(integration)).toBe(10 * minuteMs);
  clock.advance(10 * minuteMs - 1);
  expect(await looks.look(integration)).toBe(1);
  expect(state.calls).toHaveLength(1);
  clock.advance(1);
  expect(await looks.look(integration)).toBe(10 * minuteMs);
  expect(state.calls).toHaveLength(2);
});

it("after a look that failed, the next one begins where that did", async () => {
  const clock = new FakeClock();
  const { state, looks } = github(clock, [31 * minuteMs, 30 * minuteMs]);
  await looks.look(integration);
  state.calls.splice(0);
  clock.advance(10 * minuteMs);
  state.isAway = true;
  await looks.look(integration);
  clock.advance(10 * minuteMs);
  state.isAway = false;
  await looks.look(integration);
  expect(state.calls).toEqual(["list-deliveries", "list-deliveries", "redeliver 1"]);
});

it("an Integration that was deleted and made again is looked at as a new one", async () => {
  const { state, looks } = github(new FakeClock(), [2 * dayMs]);
  await looks.look(integration);
  await looks.look(integration);
  expect(state.calls.splice(0)).toEqual(["list-deliveries", "redeliver 0"]);
  looks.forget({ namespace: "shop", name: "github" });
  await looks.look(integration);
  expect(state.calls).toEqual(["list-deliveries", "redeliver 0"]);
});

import { expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { ProviderError } from "../provider-error.ts";
import type { GitHubCall } from "./github-request.ts";
import { Subscriptions, type SubscriptionsDeps } from "./subscriptions.ts";

const minuteMs = 60_000;
const integration = {
  metadata: { name: "github", namespace: "shop", uid: "u1" },
  spec: { type: "GitHub", github: { installationID: 5 } },
} as unknown as Integration;

it("an installation is read every 10 minutes, also after GitHub did not answer", async () => {
  const clock = new FakeClock();
  const state = { calls: 0, isAway: false };
  const callAsApp = <Data>(_integration: Integration, { parameters }: GitHubCall<Data>) => {
    state.calls += 1;
    expect(parameters).toEqual({ installation_id: 5 });
    if (state.isAway) return Promise.reject(new ProviderError("unavailable", "away"));
    return Promise.resolve({ data: { app_slug: "helper", permissions: {}, events: [] } as Data, next: undefined });
  };
  const informers = { integrations: { onChange: () => undefined, get: () => undefined } };
  const client = { withHooks: () => client };
  const subscriptions = new Subscriptions({
    clock,
    client,
    github: { callAsApp },
    informers,
  } as unknown as SubscriptionsDeps);
  expect(await subscriptions.look(integration)).toBe(10 * minuteMs);
  clock.advance(10 * minuteMs - 1);
  expect(await subscriptions.look(integration)).toBe(1);
  expect(state.calls).toBe(1);
  state.isAway = true;
  clock.advance(1);
  expect(await subscriptions.look(integration)).toBe(10 * minuteMs);
  expect(await subscriptions.look(integration)).toBe(10 * minuteMs);
  expect(state.calls).toBe(2);
});

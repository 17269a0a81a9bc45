import { expect, it } from "vitest";

import type { Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { KubeError, type KubeErrorFacts } from "../../kube/errors.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import { EventWriter } from "./event-writer.ts";
import type { KeptEvent } from "./protocol.ts";

// The writer reads no more of an Integration than its metadata.
const integration = { metadata: { namespace: "demo", name: "linear", uid: "u1" } } as Integration;
const received = {
  deliveryId: "d",
  receivedAt: new Date("2026-05-04T10:15:00.000Z"),
  kept: {} as KeptEvent,
  deadlineMs: 2_600,
};

const failure = (facts: Partial<KubeErrorFacts>): KubeError =>
  new KubeError({ message: "create", status: 0, reason: "ConnectionFailed", delivery: "lost", ...facts });
const answered = (status: number, message = "create"): KubeError =>
  failure({ status, message, reason: "Refused", delivery: "received" });
const taken = failure({ status: 409, reason: "AlreadyExists", delivery: "received" });
const quota = answered(403, "exceeded quota: events");
const lost = failure({});

/** A writer whose creates and looks end as listed, then with success and without an event. */
function world(...ends: (KubeError | "there" | undefined)[]) {
  const looked: string[] = [];
  const names: string[] = [];
  const next = (): Promise<boolean> => {
    const end = ends.shift();
    return end instanceof KubeError ? Promise.reject(end) : Promise.resolve(end === "there");
  };
  const client = {
    create: (_kind: unknown, { metadata }: IntegrationEvent) => (names.push(metadata.name ?? ""), next()),
    exists: (_kind: unknown, { name }: ObjectKey) => (looked.push(name), next()),
  };
  // The writer creates events and looks at them, and does nothing else.
  const writer = new EventWriter({ client: client as never, clock: new FakeClock() });
  return { looked, names, store: () => writer.store(integration, received) };
}

it.each([
  { name: "a new event", ends: [], want: "triggered", looks: 0 },
  { name: "a known event", ends: [taken], want: "skipped", looks: 0 },
  { name: "an event whose answer was lost, then there", ends: [lost, taken], want: "triggered", looks: 0 },
  { name: "a known event at a full quota", ends: [quota, "there" as const], want: "skipped", looks: 1 },
  { name: "a known event that a policy refuses", ends: [answered(422), "there" as const], want: "skipped", looks: 1 },
  {
    name: "an event whose answer was lost, at a quota that it filled",
    ends: [lost, quota, "there" as const],
    want: "triggered",
    looks: 1,
  },
])("$name: $want", async ({ ends, want, looks }) => {
  const { looked, names, store } = world(...ends);
  expect(await store()).toMatchObject({ verdict: want });
  expect(looked).toEqual(names.slice(0, looks));
});

it.each([
  { name: "a new event at a full quota", ends: [quota], code: "Throttled", looks: 1 },
  { name: "a look without an answer", ends: [quota, lost], code: "Throttled", looks: 1 },
  { name: "a new event that a policy refuses", ends: [answered(422)], code: "Unavailable", looks: 1 },
  { name: "an error of the server", ends: [answered(500)], code: "Unavailable", looks: 0 },
])("$name is refused: $code", async ({ ends, code, looks }) => {
  const { looked, store } = world(...ends);
  await expect(store()).rejects.toMatchObject({ code });
  expect(looked).toHaveLength(looks);
});

import { expect, it } from "vitest";

import type { Delivery } from "./calls.ts";
import { failedDeliveries } from "./failed-deliveries.ts";

const delivery = (change: Partial<Delivery>): Delivery => ({
  id: 1,
  guid: "g1",
  delivered_at: "2026-05-04T10:00:00Z",
  status_code: 503,
  event: "issue_comment",
  installation_id: 5,
  ...change,
});
const later = "2026-05-04T10:10:00Z";
const taken = delivery({ id: 2, status_code: 200, delivered_at: later });

it.each([
  { name: "an outage", deliveries: [delivery({})], ids: [1] },
  { name: "no answer", deliveries: [delivery({ status_code: 0 })], ids: [1] },
  { name: "too many events", deliveries: [delivery({ status_code: 429 })], ids: [1] },
  { name: "an answer of 500", deliveries: [delivery({ status_code: 500 })], ids: [1] },
  { name: "an answer of 499", deliveries: [delivery({ status_code: 499 })], ids: [] },
  { name: "a wrong signature", deliveries: [delivery({ status_code: 401 })], ids: [] },
  { name: "an answer of 299", deliveries: [delivery({ status_code: 299 })], ids: [] },
  { name: "a try that was taken later", deliveries: [delivery({}), taken], ids: [] },
  { name: "a try that was taken later, listed first", deliveries: [taken, delivery({})], ids: [] },
  { name: "two tries that failed", deliveries: [delivery({ id: 2, delivered_at: later }), delivery({})], ids: [2] },
  {
    name: "two tries that failed, the other way round",
    deliveries: [delivery({}), delivery({ id: 2, delivered_at: later })],
    ids: [2],
  },
  {
    name: "a last try that was refused",
    deliveries: [delivery({}), delivery({ id: 2, delivered_at: later, status_code: 413 })],
    ids: [],
  },
  { name: "two events", deliveries: [delivery({}), delivery({ id: 2, guid: "g2" })], ids: [1, 2] },
  { name: "another installation", deliveries: [delivery({ installation_id: 6 })], ids: [] },
  { name: "no installation", deliveries: [delivery({ installation_id: null })], ids: [] },
  ...["issues", "check_suite", "workflow_run"].map((event) => ({
    name: `an outage, of ${event}`,
    deliveries: [delivery({ event })],
    ids: [1],
  })),
  { name: "a type that is not handled", deliveries: [delivery({ event: "push" })], ids: [] },
])("after $name asks for $ids", ({ deliveries, ids }) => {
  expect(failedDeliveries(deliveries, 5).map(({ id }) => id)).toEqual(ids);
});

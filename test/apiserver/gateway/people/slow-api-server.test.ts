import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { SeenRequest } from "../../../support/fault-proxy.ts";
import { openPeopleWorld, type PeopleWorld } from "../../../support/people-world.ts";

/** Longer than a test may take: a caller that waits for it has hung. */
const foreverMs = 600_000;

let people: PeopleWorld;

beforeAll(async () => {
  people = await openPeopleWorld({ answerMs: 500, decisionMs: 200 });
});
afterEach(() => people.proxy.decide(undefined));
afterAll(() => people.close());

const slow = (resource: string) => (request: SeenRequest) =>
  !request.isWatch && request.path.includes(`/${resource}`) ? { kind: "delay" as const, ms: foreverMs } : undefined;

it.each([
  { route: "", method: "GET", resource: "tokenreviews" },
  { route: "", method: "GET", resource: "subjectaccessreviews" },
  { route: "", method: "GET", resource: "automations" },
  { route: "/invocations", method: "GET", resource: "runs" },
  { route: "/pause", method: "POST", resource: "automations" },
  { route: "/resume", method: "POST", resource: "automations" },
  { route: "/trigger", method: "POST", resource: "runs" },
  { route: "/regenerate-key", method: "POST", resource: "secrets" },
] as const)("$method $route is answered 503 while $resource hang", async ({ route, method, resource }) => {
  const { id } = await people.makeAutomation();
  people.proxy.decide(slow(resource));
  const { status, headers, body } = await people.send(`/automations/${id}${route}`, { method });
  expect([status, body.code, headers["retry-after"]]).toEqual([503, "Unavailable", "2"]);
});

it("answers 202 for a Run that is not decided in time", async () => {
  const { id } = await people.makeAutomation();
  let answer = await people.send(`/automations/${id}/trigger`, { method: "POST" });
  // On a machine that is busy half a second may not do for the rest.
  while (answer.status === 503) answer = await people.send(`/automations/${id}/trigger`, { method: "POST" });
  expect(answer).toMatchObject({ status: 202, body: { runs: [], invocationId: expect.any(String) as string } });
});

it("answers 503 while more histories hang than are read at once, and then works again", async () => {
  const { id } = await people.makeAutomation();
  people.proxy.decide(slow("runs"));
  const path = `/automations/${id}/invocations`;
  const hanging = await Promise.all(Array.from({ length: 6 }, () => people.send(path)));
  expect(new Set(hanging.map(({ status }) => status))).toEqual(new Set([503]));
  people.proxy.decide(undefined);
  let answer = await people.send(path);
  while (answer.status === 503) answer = await people.send(path);
  expect(answer.status).toBe(200);
});

import { expect, it } from "vitest";

import { makeScript, type RecordedWrite } from "./script.ts";

const runUid = "11111111-1111-4111-8111-111111111111";
const sessionUid = "22222222-2222-4222-8222-222222222222";
const kind = "/apis/runwright.dev/v1alpha1/namespaces/tenant";

function aWrite(method: string, path: string, parts: Partial<RecordedWrite> = {}): RecordedWrite {
  return { method, path, contentType: "application/json", body: "", status: 200, answer: "{}", ...parts };
}

function aCreate(path: string, body: object, metadata: object): RecordedWrite {
  return aWrite("POST", path, { status: 201, body: JSON.stringify(body), answer: JSON.stringify({ metadata }) });
}

const run = aCreate(`${kind}/runs`, { metadata: { name: "life" } }, { name: "life", uid: runUid });
const session = aCreate(
  `${kind}/sessions`,
  { metadata: { name: "life-0", ownerReferences: [{ name: "life", uid: runUid }] } },
  { name: "life-0", uid: sessionUid },
);

it("has another life's names and UIDs in their places, in paths and bodies", () => {
  const recorded = [run, session, aWrite("PATCH", `${kind}/sessions/life-0/status?fieldManager=rw`)];
  expect(makeScript(recorded, "fix-0")).toEqual([
    { ...stepOf(run), body: '{"metadata":{"name":"{{name 0}}"}}' },
    {
      ...stepOf(session),
      body: '{"metadata":{"name":"{{name 1}}","ownerReferences":[{"name":"{{name 0}}","uid":"{{uid 0}}"}]}}',
    },
    expect.objectContaining({ path: `${kind}/sessions/{{name 1}}/status?fieldManager=rw`, body: "" }),
  ]);
});

it("gives what has the same name the same placeholder, although a UID is part of it", () => {
  const name = `${sessionUid}-1`;
  const secret = aCreate("/api/v1/namespaces/sessions/secrets", { metadata: { name } }, { name, uid: "s" });
  const leases = "/apis/coordination.k8s.io/v1/namespaces/sessions/leases";
  const lease = aCreate(leases, { metadata: { name } }, { name, uid: "l" });
  const steps = makeScript([run, session, secret, lease], "fix-0");
  expect(steps.slice(2).map(({ body }) => body)).toEqual([2, 3].map(() => '{"metadata":{"name":"{{name 2}}"}}'));
});

it("names the automation and no resource versions", () => {
  const body = JSON.stringify({
    metadata: { resourceVersion: "7" },
    preconditions: { uid: runUid, resourceVersion: "8" },
  });
  const patch = aWrite("PATCH", `${kind}/automations/fix-0/status`, { body });
  expect(makeScript([run, patch], "fix-0").at(-1)).toMatchObject({
    path: `${kind}/automations/{{automation}}/status`,
    body: '{"metadata":{},"preconditions":{"uid":"{{uid 0}}"}}',
  });
});

it.each([
  ["a review", aWrite("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { answer: '{"metadata":{}}' })],
  ["a process's Lease", aWrite("PATCH", "/apis/coordination.k8s.io/v1/namespaces/system/leases/gateway-gateway-0")],
  ["a refused write", aWrite("PATCH", `${kind}/runs/life/status`, { status: 409 })],
  ["an unanswered write", aWrite("PATCH", `${kind}/runs/life/status`, { status: 0 })],
])("leaves out %s", (_what, write) => {
  expect(makeScript([run, write], "fix-0")).toHaveLength(1);
});

it("keeps a session's Lease, and Events", () => {
  const lease = aWrite("PATCH", "/apis/coordination.k8s.io/v1/namespaces/sessions/leases/one");
  const event = aCreate("/apis/events.k8s.io/v1/namespaces/tenant/events", {}, { name: "life.1", uid: "e" });
  expect(makeScript([run, lease, event], "fix-0")).toHaveLength(3);
});

function stepOf({ method, path, contentType }: RecordedWrite): object {
  return { method, path, contentType };
}

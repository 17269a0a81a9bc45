import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openTenancy, roles, type Role, type Tenancy } from "./support/tenancy.ts";

let tenancy: Tenancy;
beforeAll(async () => {
  tenancy = await openTenancy();
});
afterAll(() => tenancy.close());

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Row = [does: string, method: Method, path: string, who: readonly Role[], body?: object];

const nobody: readonly Role[] = [];
const editors: readonly Role[] = ["edit", "admin"];
const admins: readonly Role[] = ["admin"];
const automation = (spec: object): object => ({
  metadata: { name: "tried" },
  spec: { instructions: "Do it.", trigger: { type: "Manual" }, serviceAccountName: "runner", ...spec },
});
const run = { metadata: { name: "tried" }, spec: { automationRef: { name: "a" }, trigger: { type: "Manual" } } };
const resume = { metadata: { annotations: { "runwright.dev/resume-requested-at": "2026-05-04T10:15:00Z" } } };
const role = (rule: object): object => ({ metadata: { name: "tried" }, rules: [rule] });
const use = { apiGroups: ["runwright.dev"], resources: ["sandboxclasses"], verbs: ["use"] };
const readRuns = { apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["get"] };

/** `:ns` stands for the tenant's namespace; bodies get apiVersion and kind from the path. */
const rows: readonly Row[] = [
  ...[
    "automations",
    "runs",
    "sessions",
    "prompts",
    "repositories",
    "environments",
    "prebuiltimages",
    "sandboxpools",
    "skills",
    "deliverylogs",
  ].map((plural): Row => [`list ${plural}`, "GET", `:ns/${plural}`, roles]),
  ["read an Automation", "GET", ":ns/automations/a", roles],
  ["follow Runs", "GET", ":ns/runs?watch=true&timeoutSeconds=1", roles],
  ["list Automations of all namespaces", "GET", "/apis/runwright.dev/v1alpha1/automations", nobody],
  ["read a Secret of theirs", "GET", "/api/v1/namespaces/:tenant/secrets/git", editors],
  ["read a key's hash", "GET", "/api/v1/namespaces/:keys/secrets/automation-u", nobody],
  ["list keys' hashes", "GET", "/api/v1/namespaces/:keys/secrets", nobody],
  ["create an Automation", "POST", ":ns/automations", editors, automation({})],
  ["pause", "PATCH", ":ns/automations/a", editors, { spec: { suspend: true } }],
  ["resume", "PATCH", ":ns/automations/a", editors, resume],
  ["rewrite instructions", "PATCH", ":ns/automations/a", editors, { spec: { instructions: "Other." } }],
  ["delete an Automation", "DELETE", ":ns/automations/a", editors],
  ["scale a pool", "PATCH", ":ns/sandboxpools/warm/scale", editors, { spec: { replicas: 3 } }],
  ["look at a pool's scale", "GET", ":ns/sandboxpools/warm/scale", roles],
  ["name sandboxes in a pool's status", "PATCH", ":ns/sandboxpools/warm/status", nobody, { status: { members: [] } }],
  ["trigger", "POST", ":ns/runs", editors, run],
  ["delete a Run", "DELETE", ":ns/runs/r", editors],
  ["delete all Runs", "DELETE", ":ns/runs", editors],
  ["delete the record of deliveries", "DELETE", ":ns/deliverylogs/a", editors],
  ["write a record of deliveries", "POST", ":ns/deliverylogs", nobody, { metadata: { name: "tried" }, spec: {} }],
  ["change a record of deliveries", "PATCH", ":ns/deliverylogs/a", nobody, { metadata: { labels: { a: "b" } } }],
  ["lift a pause in status", "PATCH", ":ns/automations/a/status", nobody, { status: { consecutiveFailures: 0 } }],
  ["settle a Run", "PATCH", ":ns/runs/r/status", nobody, { status: { observedGeneration: 1 } }],
  ["read SandboxClasses", "GET", "/apis/runwright.dev/v1alpha1/sandboxclasses", nobody],
  ["write a SandboxClass", "PATCH", "/apis/runwright.dev/v1alpha1/sandboxclasses/c", nobody, { spec: {} }],
  [
    "let an account read Runs",
    "POST",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/:tenant/roles",
    admins,
    role(readRuns),
  ],
  [
    "let an account use a SandboxClass",
    "POST",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/:tenant/roles",
    nobody,
    role(use),
  ],
];

describe.each(roles)("a person with the role %s", (who) => {
  it.each(rows)("%s", async (_, method, path, allowed, body) => {
    const { status } = await tenancy.send(who, method, path, body);
    expect(status === 403 ? "forbidden" : status < 300 ? "done" : status).toBe(
      allowed.includes(who) ? "done" : "forbidden",
    );
  });

  it.each([
    ["make keys", { verb: "create", group: "runwright.dev", resource: "automations", subresource: "key" }, editors],
    ["act as an account", { verb: "impersonate", group: "", resource: "serviceaccounts" }, editors],
    ["use a SandboxClass", { verb: "use", group: "runwright.dev", resource: "sandboxclasses" }, nobody],
  ])("and asks to %s", async (_, attributes, allowed) => {
    expect(await tenancy.isAllowed(who, attributes)).toBe(allowed.includes(who));
  });
});

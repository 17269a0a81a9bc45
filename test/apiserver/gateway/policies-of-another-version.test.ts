import { afterAll, beforeAll, expect, it } from "vitest";

import { Prompt } from "../../../src/api/v1alpha1/index.ts";
import { attemptName } from "../../../src/api/v1alpha1/names.ts";
import { leases } from "../../../src/kube/core-resources.ts";
import { policyRefusalOf } from "../../../src/kube/policy-refusal.ts";
import { testApi } from "../../support/cluster.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { gatewayUser, type GatewayWorld, openGatewayWorld, passAlive } from "../../support/runtime-gateway.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { eventually, makeSandbox } from "../../support/runtime-world.ts";

// Policies of an older version know neither the note of a build nor the branch of a result.
let opened: GatewayWorld;
const clock = new MovableClock();
const policies: string[] = [];

beforeAll(async () => {
  opened = await openGatewayWorld({ clock });
  const { world, connection } = opened;
  const { sessionsNamespace } = world.release;
  await refuse("leases", {
    rule: { apiGroups: ["coordination.k8s.io"], resources: ["leases"], operations: ["CREATE", "UPDATE"] },
    expression: "!has(object.metadata.annotations) || !('runwright.dev/built' in object.metadata.annotations)",
    message: "metadata.annotations: built is not among those that the gateway may set",
  });
  await refuse("prompts", {
    rule: { apiGroups: ["runwright.dev"], resources: ["prompts/status"], operations: ["UPDATE"] },
    expression:
      "!has(object.status.result) || (has(object.status.result.summary) && !has(object.status.result.branch))",
    message: "status.result: the gateway may set it with a summary and without a branch only",
  });
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, opened.gateway, sandbox);
  const lease = { namespace: sessionsNamespace, name: attemptName(sandbox.sessionUid, 1) };
  const built = { metadata: { annotations: { "runwright.dev/built": "{}" } } };
  await inForce("leases", () => connection.client.patch(leases, lease, built, { dryRun: true }));
  peer.close();
  const { name } = await sandbox.prompt("try it");
  const key = { namespace: world.tenant, name };
  const tried = { status: { result: { branch: "b" } } };
  await inForce("prompts", () => connection.client.patch(Prompt, key, tried, { subresource: "status", dryRun: true }));
});
afterAll(async () => {
  for (const path of policies) await testApi().send("DELETE", path);
  await opened.close();
});

function policyName(what: string): string {
  const { namespace, name } = opened.world.release;
  return `${namespace}-${name}-of-another-version-${what}`;
}

/** Waits until the policy refuses a write that nothing else refuses: of several refusals the API server says one. */
async function inForce(what: string, write: () => Promise<unknown>): Promise<void> {
  await eventually(`${what} are refused`, async () => {
    const refusal = await write().then(() => undefined, policyRefusalOf);
    return refusal?.policy === policyName(what) || undefined;
  });
}

/** A policy for this world's gateway alone. */
async function refuse(
  what: string,
  { rule, expression, message }: { rule: object; expression: string; message: string },
): Promise<void> {
  const { world } = opened;
  const name = policyName(what);
  const group = "/apis/admissionregistration.k8s.io/v1";
  const common = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name } };
  const isGateway = `request.userInfo.username == '${await gatewayUser(world)}'`;
  const spec = {
    matchConstraints: { resourceRules: [{ apiVersions: ["*"], ...rule }] },
    matchConditions: [{ name: "is-the-gateway", expression: isGateway }],
    validations: [{ expression, message, reason: "Forbidden" }],
  };
  const binding = { policyName: name, validationActions: ["Deny"] };
  const [policy, bound] = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"].map(
    (plural) => `${group}/${plural}/${name}`,
  ) as [string, string];
  policies.push(policy, bound);
  await testApi().apply(policy, { ...common, kind: "ValidatingAdmissionPolicy", spec });
  await testApi().apply(bound, { ...common, kind: "ValidatingAdmissionPolicyBinding", spec: binding });
}

it("fail a build whose end they refuse to have noted for a minute, with the policy and the field", async () => {
  const { world, gateway } = opened;
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, gateway, sandbox);
  const commits = [{ repository: "web", commit: "a".repeat(40) }];
  const files = { secretFiles: [], secretFileCount: 0 };
  const note = { result: "Built", commits, runtimeVersion: 1, architecture: "amd64", ...files };
  peer.send({ type: "built", seq: 1, note });
  await passAlive(world, clock, 65_000);
  await eventually("acknowledged", () => (peer.acknowledged === 1 ? true : undefined));
  expect(JSON.parse(await sandbox.noted("boot-failure"))).toEqual({
    phase: "agent",
    reason: "PolicyMismatch",
    message: `the installed policies are of another version: ${policyName("leases")} refused what the gateway had to write: metadata.annotations: built is not among those that the gateway may set`,
  });
  peer.close();
});

it("fail a prompt whose outcome they refuse for a minute, and the next one is processed", async () => {
  const { world, gateway } = opened;
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, gateway, sandbox);
  peer.send({ type: "ready", seq: 1 });
  const refused = await sandbox.prompt("push it");
  await peer.next("prompt");
  const outcome = { verdict: "succeeded", summary: "Pushed." } as const;
  peer.send({ type: "promptFinished", seq: 2, outcome: { ...outcome, prompt: refused, branch: "fix" } });
  await passAlive(world, clock, 65_000);
  expect(await sandbox.settled(refused.name)).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: "Succeeded",
        status: "False",
        reason: "PolicyMismatch",
        message: expect.stringContaining(
          "status.result: the gateway may set it with a summary and without a branch only",
        ) as unknown,
      }),
    ]) as unknown,
  });
  const next = await sandbox.prompt("say it");
  await peer.next("prompt");
  peer.send({ type: "promptFinished", seq: 3, outcome: { ...outcome, prompt: next } });
  expect(await sandbox.settled(next.name)).toMatchObject({ result: { summary: "Pushed." } });
  peer.close();
});

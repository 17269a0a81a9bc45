import { closeCodes } from "../../../src/api/runtime/limits.ts";
import { apply, kubectl } from "../../e2e/support/workbench.ts";
import { accountName } from "../../e2e/support/tenant-objects.ts";
import { sandboxAudience } from "../../../src/api/runtime/pod-contract.ts";
import { release } from "../../e2e/support/install.ts";
import { pods } from "../../../src/kube/core-resources.ts";
import { inject } from "vitest";
import type { Attempt, Group } from "../support/attempt.ts";
import type { World } from "../support/world.ts";

const refusal = (name: string, outcome: number, reason: string): Attempt => ({
  name,
  outcome,
  counted: `gateway ${reason}`,
});
const request = (name: string, path: string, outcome: number): Attempt => ({
  name,
  outcome,
  counted: `request ${path} ${outcome}`,
});

export const gateway: Group = {
  title: "the agent, with its runtime's token or without, does not get at the gateway",
  file: "groups/gateway.ts",
  attempts: [
    refusal("the channel of another session", 403, "NotThisPod"),
    refusal("its own channel with the token of a pod beside it", 403, "NotThisPod"),
    refusal("a path that climbs out of its own", 404, "NotFound"),
    refusal("a stream of another session", 403, "NotThisPod"),
    refusal("its own channel with a token that is bound to no pod", 503, "TokenNotAccepted"),
    refusal("its own channel with a token for the API server", 503, "TokenNotAccepted"),
    refusal("a channel with nonsense for a token", 503, "TokenNotAccepted"),
    refusal("a channel without a token", 401, "Unauthorized"),
    refusal("the channel of a sandbox that has ended", 410, "AttemptOver"),
    refusal("the channel of a sandbox that is to come", 503, "SandboxNotRecorded"),
    refusal("the channel of a session that there is not", 503, "SessionUnknown"),
    refusal("the REST API at the port of sandboxes", 404, "NotFound"),
    request("children of another session", "/children", 403),
    request("git credentials of another session", "/credentials", 403),
    request("skills of another session", "/skills", 403),
    request("credentials by a body of 2 MiB", "/credentials", 413),
    request("children by a body that is no JSON", "/children", 400),
    { name: "the REST API with a sandbox's token", outcome: 401, counted: "people 401" },
    { name: "the REST API without a token", outcome: 401, counted: "people 401" },
    { name: "the archive with a sandbox's token", outcome: 401, counted: "people 401" },
    { name: "a tunnel with a sandbox's token", outcome: 401, counted: "people 4xx" },
    { name: "Secrets with a sandbox's token", outcome: 401, counted: "authentication" },
    { name: "Secrets without a token", outcome: 403, counted: "authorization" },
    { name: "the kubelet with a sandbox's token", outcome: 401 },
    { name: "the kubelet without a token", outcome: 401 },
    refusal("a frame that is no message", closeCodes.malformed, "Malformed"),
    refusal("a frame of more than 64 KiB", 1009, "TooLarge"),
    refusal("2,000 frames at once", closeCodes.flooding, "Flooding"),
    { name: "700 connections at once", outcome: "closed", counted: "gateway TooManyConnections" },
  ],
  async run({ stage: { bench }, tenant: { namespace }, attacker, victim, archivists }: World) {
    const [own, other, ended] = await Promise.all([attacker.sandbox(), victim.sandbox(), archivists.ended()]);
    const impostor = { name: "impostor", namespace };
    await apply(bench, [aPod(impostor)]);
    const { metadata } = await bench.client.get(pods, impostor);
    const { status } = await bench.client.get(pods, { namespace, name: own.sandbox.podName });
    const create = ["-n", namespace, "create", "token", accountName];
    const audience = ["--audience", sandboxAudience(release)];
    const token = async (...more: string[]): Promise<string> => (await kubectl(bench, [...create, ...more])).trim();
    return attacker.report("gateway.mjs", {
      token: await attacker.steal(own.sandbox),
      impostor: await attacker.steal({ ...own.sandbox, podName: "impostor", podUID: metadata.uid ?? "" }),
      unbound: await token(...audience),
      forApiServer: await token(),
      own: { uid: own.uid, attempt: own.sandbox.attempt },
      victim: { uid: other.uid, attempt: other.sandbox.attempt, namespace },
      ended,
      node: status?.hostIP,
    });
  },
};

/** With the session's account, as a person who may create pods can make it. */
function aPod(metadata: { name: string; namespace: string }): object {
  const image = inject("release").sandbox.name;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      serviceAccountName: accountName,
      securityContext: { runAsNonRoot: true, runAsUser: 10_002, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "impostor",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["sleep", "600"],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
}

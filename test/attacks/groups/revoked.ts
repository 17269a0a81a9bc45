import { Agent, request } from "undici";

import { Session } from "../../../src/api/v1alpha1/index.ts";
import { pods } from "../../../src/kube/core-resources.ts";
import { deliver, openEntrance } from "../../e2e/support/delivery.ts";
import { makePerson, openPeoplePort, tokenOf } from "../../e2e/support/people.ts";
import { samplePayload } from "../../e2e/support/payload.ts";
import { kubectl } from "../../e2e/support/workbench.ts";
import { until } from "../../support/kube.ts";
import type { Group } from "../support/attempt.ts";
import type { World } from "../support/world.ts";

const minuteMs = 60_000;

/** What docs/operate/security-summary.md says to revoke within a minute. */
export const revoked: Group = {
  title: "what was revoked does not, a minute later,",
  file: "groups/revoked.ts",
  attempts: [
    { name: "start a Run with a key that was replaced", outcome: 401, counted: "ingress 401" },
    { name: "start a Run of an automation that was suspended", outcome: 0 },
    {
      name: "call the gateway with the token of a person whose RoleBinding was deleted",
      outcome: 403,
      counted: "people 403",
    },
    { name: "work on in the sandbox of a session that was deleted", outcome: "its pod is gone" },
  ],
  async run(world) {
    return { ...(await ofSender(world)), ...(await ofSession(world)) };
  },
};

async function ofSender({ stage: { bench }, tenant: { namespace, automation, automationName, key } }: World) {
  const editor = await makePerson(bench, namespace, "edit");
  const authorization = `Bearer ${await tokenOf(bench, namespace, editor)}`;
  const port = await openPeoplePort(bench);
  const entrance = await openEntrance(bench);
  const agent = new Agent({ connect: port.tls });
  const ask = (method: "GET" | "POST", path: string) =>
    request(`https://${port.authority}/automations/${automation}${path}`, {
      method,
      dispatcher: agent,
      headers: { authorization, "content-type": "application/json" },
      ...(method === "POST" && { body: "{}" }),
    });
  try {
    const replaced = await ask("POST", "/regenerate-key");
    const { webhookApiKey: newKey } = (await replaced.body.json()) as { webhookApiKey: string };
    const withOld = await deliver(entrance, { what: "old key", automation, key, body: {} });
    await kubectl(bench, [
      "-n",
      namespace,
      "patch",
      "automation",
      automationName,
      "--type=merge",
      "-p",
      '{"spec":{"suspend":true}}',
    ]);
    const send = async (): Promise<number | undefined> => {
      const { body } = await samplePayload({ keyed: true });
      const answer = await deliver(entrance, { what: "suspended", automation, key: newKey, body });
      return (answer.body as { triggered?: number }).triggered;
    };
    const startsNone = async (): Promise<boolean> => (await send()) === 0;
    await until("the ingress knows it", startsNone, minuteMs).catch(() => undefined);
    const whileSuspended = await send();
    await kubectl(bench, ["-n", namespace, "delete", "rolebinding", editor]);
    const afterwards = await ask("GET", "");
    await afterwards.body.dump();
    return {
      "start a Run with a key that was replaced": withOld.status,
      "start a Run of an automation that was suspended": whileSuspended,
      "call the gateway with the token of a person whose RoleBinding was deleted": afterwards.statusCode,
    };
  } finally {
    await agent.close();
    entrance.close();
    port.close();
  }
}

async function ofSession({ stage: { bench }, tenant: { namespace }, victim }: World) {
  const { sandbox } = await victim.sandbox();
  await bench.client.delete(Session, { namespace, name: "victim" });
  const isGone = async (): Promise<boolean> => {
    return (await bench.client.find(pods, { namespace, name: sandbox.podName })) === undefined;
  };
  const outcome = await until("its pod is gone", isGone, minuteMs).then(
    () => "its pod is gone",
    () => "its pod is there",
  );
  return { "work on in the sandbox of a session that was deleted": outcome };
}

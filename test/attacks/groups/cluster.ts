import type { Group } from "../support/attempt.ts";
import { connectApi } from "../../support/api-client.ts";
import { testCluster } from "../../support/cluster.ts";
import { clusterAttempts, type ClusterAttempt, peopleOf } from "./cluster-attempts.ts";

const forbidden = new Set([401, 403, 422]);

/** Requests to the API server with the rights of somebody, each in a way that those rights do not mean. */
export const cluster: Group = {
  title: "at the API server, it is refused that",
  file: "groups/cluster.ts",
  attempts: clusterAttempts.map(({ who, what, by }) => ({ name: nameOf({ who, what }), counted: by })),
  async run(world) {
    const { namespace } = world.tenant;
    await peopleOf(world);
    const { uid } = await world.victim.sandbox();
    const outcomes: Record<string, unknown> = {};
    for (const { who, what, user, request } of clusterAttempts) {
      const api = connectApi(testCluster(), user(namespace));
      const { method, path, body } = request({ namespace, uid });
      const { status, body: answer } = await api.send(method, path, body);
      await api.close();
      outcomes[nameOf({ who, what })] = forbidden.has(status) ? "refused" : { status, answer };
    }
    return outcomes;
  },
};

function nameOf({ who, what }: Pick<ClusterAttempt, "who" | "what">): string {
  return `${who} ${what}`;
}

import type { IncomingHttpHeaders } from "node:http";

import { Agent, request } from "undici";

import { type ClusterCredentials, headersOf, tlsOf } from "../../hack/cluster/cluster.ts";

/** For what an API server counted a request: UIDs of the FlowSchema and of its priority level. */
export interface RequestFlow {
  schema: string;
  level: string;
}

/** As an answer's headers say it; empty where they do not. */
export function flowIn(headers: IncomingHttpHeaders): RequestFlow {
  const valueOf = (name: string): string => headers[`x-kubernetes-pf-${name}-uid`]?.toString() ?? "";
  return { schema: valueOf("flowschema"), level: valueOf("prioritylevel") };
}

/** For what a user's read of this path is counted, whether it is allowed or not. */
export async function flowOf(cluster: ClusterCredentials, user: string, path: string): Promise<RequestFlow> {
  const agent = new Agent({ connect: tlsOf(cluster) });
  const headers = { ...headersOf(cluster), "impersonate-user": user };
  try {
    const answer = await request(`${cluster.server}${path}`, { dispatcher: agent, headers });
    await answer.body.dump();
    return flowIn(answer.headers);
  } finally {
    await agent.close();
  }
}

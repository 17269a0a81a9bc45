import { Buffer } from "node:buffer";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { skillsPath } from "../../api/runtime/skill-set.ts";
import { skillPieceName, skillsDataKey } from "../../api/v1alpha1/names.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Gatekeeper } from "../attempts/gatekeeper.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";
import type { SessionRate } from "../attempts/session-rate.ts";
import { FairShares } from "../../lib/fair-shares.ts";
import { answerJson } from "../http/json-answer.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";

interface Deps {
  gatekeeper: Pick<Gatekeeper<Session>, "judge">;
  client: Pick<KubeClient, "find">;
  /** Where the controller stores sets of skills. */
  namespace: string;
  logger: Logger;
  rate: Pick<SessionRate, "take">;
  metrics: Pick<GatewayMetrics, "sandboxRequests" | "sandboxDurations">;
}

/** Pieces that the runtime of one session may fetch at once. */
const mostOfASession = 2;

const path = skillsPath.slice(0, -1);

/** `GET <path of the attempt>/skills/<number>`: a piece of the set of skills that the session's status names. */
export function skillsRoute(deps: Deps): RequestListener {
  const shares = new FairShares({ perKey: mostOfASession });
  return (request, response) => {
    const answered = deps.metrics.sandboxDurations.startTimer({ path });
    serve(deps, shares, request, response)
      .catch((error: unknown) => failed(deps, error, response))
      .finally(() => {
        answered();
        deps.metrics.sandboxRequests.inc({ path, status: String(response.statusCode) });
      });
  };
}

/** Whether a path belongs to {@link skillsRoute}. */
export function isSkillsPath(url: string): boolean {
  return url.includes(skillsPath);
}

async function serve(
  { gatekeeper, client, namespace, rate }: Deps,
  shares: FairShares,
  { url = "", method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const at = url.lastIndexOf(skillsPath);
  const number = url.slice(at + skillsPath.length);
  if (method !== "GET" || !/^[0-9]{1,3}$/.test(number)) throw notFound();
  const admittance = await gatekeeper.judge({ url: url.slice(0, at), headers });
  if ("refuse" in admittance) throw admittance.refuse;
  const { metadata, status } = admittance.admit.owner;
  rate.take(metadata.uid ?? "", path);
  const work = async (): Promise<void> => {
    const { digest } = status?.skills ?? {};
    const name = digest === undefined ? undefined : skillPieceName(digest, Number(number));
    const data =
      name === undefined ? undefined : (await client.find(secrets, { namespace, name }))?.data?.[skillsDataKey];
    if (data === undefined) throw notFound();
    const content = Buffer.from(data, "base64");
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": content.length });
    response.end(content);
  };
  const busy = (): Error =>
    new SandboxError(
      503,
      "Busy",
      `a session fetches at most ${mostOfASession} pieces of its skills at once: try again`,
    );
  await shares.run(metadata.uid ?? "", work, busy);
}

const notFound = (): Error => new SandboxError(404, "NotFound", "the session has no such piece of its skills");

function failed({ logger }: Deps, error: unknown, response: ServerResponse): void {
  if (error instanceof SandboxError) {
    answerJson(response, error);
    return;
  }
  logger.warn({ err: error }, "Could not send skills to a sandbox");
  if (response.headersSent) response.destroy();
  else answerJson(response, new SandboxError(503, "Unavailable", "the skills cannot be read now; try again"));
}

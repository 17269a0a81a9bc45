import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import type { ChildAnswer } from "../../../api/runtime/children.ts";
import { mediaPath } from "../../../api/runtime/pod-contract.ts";
import { mediaLimits } from "../../../api/v1alpha1/prompt-media.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { BodyBudget } from "../../../lib/body-budget.ts";
import { atPace, BytePace } from "../../../lib/byte-pace.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import { isOver } from "../../attempts/admission.ts";
import { readBody } from "../../attempts/attempt-requests.ts";
import type { Gatekeeper } from "../../attempts/gatekeeper.ts";
import { SandboxError } from "../../attempts/sandbox-error.ts";
import type { SessionRate } from "../../attempts/session-rate.ts";
import { NoRoomError } from "../../blobs/blob-budgets.ts";
import { withinBudget } from "../../http/budget.ts";
import { FairShares } from "../../../lib/fair-shares.ts";
import { answerJson } from "../../http/json-answer.ts";
import { SharedPlaces } from "../../http/shared-places.ts";
import { uploadPace } from "../../http/upload-pace.ts";
import type { GatewayMetrics } from "../../metrics/gateway-metrics.ts";
import type { SessionMedia } from "./session-media.ts";

interface Deps {
  gatekeeper: Pick<Gatekeeper<Session>, "judge">;
  client: Pick<KubeClient, "find">;
  media: Pick<SessionMedia, "store">;
  /** Whether the operator lets agents attach files. */
  isEnabled: boolean;
  /** Shared by namespace. */
  bodies: BodyBudget;
  rate: Pick<SessionRate, "take">;
  clock: Clock;
  logger: Logger;
  metrics: Pick<GatewayMetrics, "sandboxRequests" | "sandboxDurations" | "overShare">;
}

/** Milliseconds without progress after which an upload ends. */
const silenceMs = 30_000;
/** Time limit of the API server and the blob store together, in milliseconds. */
const storeMs = 30_000;

const path = mediaPath.slice(0, -1);
const promptUid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `POST <path of the attempt>/media/<UID of the prompt>`: a file that the agent attaches to the answer of the prompt that runs. */
export function mediaUpload(deps: Deps): RequestListener {
  const shared: Shared = {
    ofSession: new FairShares({ perKey: 1 }),
    ofNamespace: new SharedPlaces("mediaUploads", { metrics: deps.metrics, failure: busy }),
    pace: new BytePace(deps.clock, uploadPace),
  };
  return (request, response) => {
    const answered = deps.metrics.sandboxDurations.startTimer({ path });
    take(deps, shared, request, response)
      .catch((error: unknown) => failed(deps, error))
      .then((answer) => {
        deps.metrics.sandboxRequests.inc({ path, status: String(answer.status) });
        answered();
        answerJson(response, answer);
      })
      .catch(() => response.destroy());
  };
}

/** Whether a path belongs to {@link mediaUpload}. */
export function isMediaPath(url: string): boolean {
  return url.includes(mediaPath);
}

/** What all uploads share. */
interface Shared {
  ofSession: FairShares;
  ofNamespace: SharedPlaces;
  pace: BytePace;
}

async function take(
  deps: Deps,
  { ofSession, ofNamespace, pace }: Shared,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ChildAnswer> {
  const { url = "", method, headers } = request;
  const at = url.lastIndexOf(mediaPath);
  const prompt = url.slice(at + mediaPath.length);
  if (!deps.isEnabled || method !== "POST" || !promptUid.test(prompt)) throw new SandboxError(404, "NotFound", nothing);
  const admittance = await deps.gatekeeper.judge({ url: url.slice(0, at), headers });
  if ("refuse" in admittance) throw admittance.refuse;
  const { owner, attempt } = admittance.admit;
  const { uid: sessionUid = "", namespace = "" } = owner.metadata;
  deps.rate.take(sessionUid, path);
  const work = (): Promise<ChildAnswer> =>
    deps.bodies.lend(async (room) => {
      request.setTimeout(silenceMs, () => response.destroy());
      const onPiece = atPace(pace, { key: namespace, clock: deps.clock });
      const content = await readBody(request, { longestBytes: mediaLimits.bytes, room, onPiece });
      return withinBudget(deps.clock, storeMs, async (signal) => {
        await checkPrompt(deps, { owner, attempt, prompt }, signal);
        const file = await deps.media.store({ sessionUid, namespace }, { promptUid: prompt, content }, signal);
        return { status: 201, body: { media: { ...file, bytes: content.length } } };
      });
    }, namespace);
  const inNamespace = (): Promise<ChildAnswer> => ofNamespace.run(namespace, work);
  return ofSession.run(sessionUid, inNamespace, () => busy("a session uploads one file at a time: try again"));
}

/** Read from the API server: the cache may not show yet which prompt runs. */
async function checkPrompt(
  { client }: Deps,
  { owner, attempt, prompt }: { owner: Session; attempt: number; prompt: string },
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name = "", uid } = owner.metadata;
  const live = await client.find<Session>(Session, { namespace, name }, { signal });
  if (live?.metadata.uid !== uid || !live || isOver(live, attempt))
    throw new SandboxError(410, "AttemptOver", "this attempt of the session is over");
  if (live.status?.currentPrompt?.uid !== prompt)
    throw new SandboxError(422, "NoPrompt", "the session processes another prompt, or none");
}

const nothing = "there is nothing at this path";
const busy = (message: string): Error => new SandboxError(503, "Busy", message);

function failed({ logger }: Deps, error: unknown): ChildAnswer {
  if (error instanceof SandboxError) return { status: error.status, body: error.body };
  if (error instanceof NoRoomError) return { status: 422, body: { error: error.message, code: "NoRoom" } };
  logger.warn({ err: error }, "Could not store a file of a sandbox");
  return { status: 503, body: { error: "the file cannot be stored now; try again", code: "Unavailable" } };
}

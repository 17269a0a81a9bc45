import { createHash } from "node:crypto";

import { annotations, Prompt, type PromptImage, reasons, Session } from "../../api/v1alpha1/index.ts";
import { rootOf } from "../../domain/children/parent.ts";
import { costOfFamily } from "../../domain/costs/family.ts";
import { costLimitOf, reachedLimit, reachedMessage } from "../../domain/costs/limit.ts";
import { imageTitle } from "../../domain/images/image-key.ts";
import { isSettled, promptStateOf, succeededOf } from "../../domain/prompts/prompt-state.ts";
import { longestQueue, queueFullMessage } from "../../domain/prompts/queue-limit.ts";
import { randomName, randomNameBytes } from "../../domain/object-names.ts";
import { makePrompt } from "../../domain/prompts/make-prompt.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists } from "../../kube/errors.ts";
import { nameHolder } from "../../kube/name-holder.ts";
import { storeOnce } from "../../kube/store-once.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { keyOf } from "../../lib/resource.ts";
import type { SessionView } from "../attempts/session-view.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { SessionImages } from "./images/session-images.ts";
import { type Audit, type Requested, requesterName } from "../http/audit.ts";
import { ApiError, failWrite } from "../http/errors.ts";
import type { LongLists } from "../http/long-lists.ts";
import { InLine } from "../http/in-line.ts";
import { lookUntil } from "../http/look-until.ts";
import { nameOf } from "../http/product-words.ts";
import { promptsOf } from "./prompt-list.ts";
import { sessionId } from "./shown-session.ts";

interface PromptRequestsDeps {
  client: Pick<KubeClient, "find" | "get" | "create">;
  clock: Clock;
  random: Pick<Random, "bytes">;
  metrics: Pick<GatewayMetrics, "overShare">;
  sessions: Pick<SessionView, "byUid" | "childrenOf">;
  lists: LongLists;
  images: Pick<SessionImages, "missing">;
  audit: Audit;
  /** Milliseconds to wait for the controller's decision. */
  decisionMs: number;
}

interface PromptRequest extends Requested {
  text: string;
  images?: readonly PromptImage[] | undefined;
  clientRequestId?: string | undefined;
}

/** A stored prompt, and its session if the controller has decided about the prompt. */
export interface AskedPrompt {
  prompt: Prompt;
  session: Session | undefined;
}

/** Text of the prompt that cancels a session without prompts, and the idempotency key of that request. */
const cancelledText = "Cancelled before it had a prompt.";

/** Creates prompts on behalf of people and sessions. */
export class PromptRequests {
  readonly #deps: PromptRequestsDeps;
  readonly #counting = new InLine();

  constructor(deps: PromptRequestsDeps) {
    this.#deps = deps;
  }

  /** Creates a prompt and waits for the decision about it. @throws ApiError */
  async ask(session: Session, request: PromptRequest): Promise<AskedPrompt> {
    const { prompt: known, made } = await this.#known(session, request);
    const prompt = known ?? (await this.#store(session, request, made));
    const asked = await this.#decided(prompt, request.signal);
    if (succeededOf(asked.prompt)?.reason !== reasons.queueFull) return asked;
    throw this.#queueFull(prompt.metadata.name);
  }

  #queueFull(promptId?: string): ApiError {
    this.#deps.metrics.overShare.inc({ budget: "prompts" });
    return new ApiError("QueueFull", queueFullMessage, { promptId });
  }

  /** Cancels a session that has no prompt yet, by creating one that is cancelled from the start. @throws ApiError */
  async cancelUnprompted(session: Session, { requester, signal }: Requested): Promise<void> {
    const made = this.#make(session, { text: cancelledText, clientRequestId: cancelledText, requester, signal });
    try {
      const prompt = { ...made, spec: { ...made.spec, cancel: true } };
      await storeOnce<Prompt>(this.#deps.client, Prompt, prompt, { signal });
    } catch (error) {
      if (!(await nameHolder<Prompt>(this.#deps.client, Prompt, { object: made, error }, { signal }))) failWrite(error);
    }
    this.#deps.audit.note(requester, session, {
      reason: reasons.cancelRequested,
      did: "cancelled it before it had a prompt",
    });
  }

  /**
   * The prompt of an earlier request with the same id, which a full queue does not refuse, or else the one to make. An
   * earlier one that a full queue refused does not count: the id is tried again under another name.
   */
  async #known(session: Session, request: PromptRequest): Promise<{ prompt?: Prompt; made: Prompt }> {
    for (let refusals = 0; ; refusals += 1) {
      const made = this.#make(session, request, refusals);
      if (request.clientRequestId === undefined) return { made };
      const found = await this.#deps.client.find<Prompt>(Prompt, keyOf(made), { signal: request.signal });
      if (!found) return { made };
      const prompt = sameRequest(found, session, request);
      if (succeededOf(prompt)?.reason !== reasons.queueFull) return { prompt, made };
    }
  }

  async #store(session: Session, request: PromptRequest, made: Prompt): Promise<Prompt> {
    const { client, audit } = this.#deps;
    const { signal, requester } = request;
    await this.#refuseMissing(session, request);
    refuseOverspent(this.#deps.sessions, session);
    await this.#refuseOverflow(session, signal);
    try {
      const stored = await storeOnce<Prompt>(client, Prompt, made, { signal });
      audit.note(requester, session, {
        reason: reasons.prompted,
        did: `asked it Prompt ${stored.metadata.name ?? ""}`,
      });
      return stored;
    } catch (error) {
      if (!isAlreadyExists(error)) failWrite(error);
      // Another request with the same id created it meanwhile.
      return sameRequest(await client.get<Prompt>(Prompt, keyOf(made), { signal }), session, request);
    }
  }

  async #refuseMissing({ metadata }: Session, { images = [], signal }: PromptRequest): Promise<void> {
    const missing = await this.#deps.images.missing(metadata.uid ?? "", images, signal);
    if (missing.length === 0) return;
    const which = missing.map((image) => `${imageTitle(image)} of type ${image.mediaType}`).join(", ");
    throw new ApiError("ImageNotFound", `the session has no image ${which}; upload it to this session first`);
  }

  /** Refuses before creation, so that refused prompts do not pile up. Counts prompts, since the status may lag behind. */
  async #refuseOverflow(session: Session, signal: AbortSignal): Promise<void> {
    if ((session.status?.queue ?? []).length < longestQueue) return;
    // One list of a namespace at a time: their texts are long.
    const count = await this.#counting.run(session.metadata.namespace ?? "", async () => {
      const prompts = await promptsOf(this.#deps.lists, nameOf(session), signal);
      return prompts.filter((one) => !isSettled(one)).length;
    });
    if (count >= longestQueue) throw this.#queueFull();
  }

  /** `refusals` is how many prompts of this id a full queue has refused. */
  #make(session: Session, { text, images, clientRequestId, requester }: PromptRequest, refusals = 0): Prompt {
    const bytes =
      clientRequestId === undefined
        ? this.#deps.random.bytes(randomNameBytes)
        : createHash("sha256")
            .update(`${session.metadata.uid ?? ""}\n${clientRequestId}${"\n".repeat(refusals)}`)
            .digest();
    const prompt = makePrompt(session, { name: randomName(session.metadata.name ?? "", bytes), text, images });
    const noted = { [annotations.requestedBy]: requesterName(requester) };
    return { ...prompt, metadata: { ...prompt.metadata, annotations: noted } };
  }

  /** Waits for the controller's decision; without one the prompt is as it was created. */
  async #decided(prompt: Prompt, signal: AbortSignal): Promise<AskedPrompt> {
    const { client, clock, decisionMs } = this.#deps;
    const { namespace } = prompt.metadata;
    const decided = await lookUntil(clock, { waitMs: decisionMs, signal }, async () => {
      const now = await client.get<Prompt>(Prompt, keyOf(prompt), { signal });
      const session = await client.find<Session>(Session, { namespace, name: prompt.spec.sessionRef.name }, { signal });
      return promptStateOf(now, session) === "created" ? undefined : { prompt: now, session };
    });
    return decided ?? { prompt, session: undefined };
  }
}

/** Refuses a prompt that would wait until the cost limit is raised. @throws ApiError */
function refuseOverspent(sessions: Pick<SessionView, "byUid" | "childrenOf">, session: Session): void {
  const root = rootOf(session, ({ uid }) => sessions.byUid(uid));
  const reached = reachedLimit(costOfFamily(root, sessions), costLimitOf(root));
  if (!reached) return;
  const isChild = root.metadata.uid !== session.metadata.uid;
  const hasFamily = isChild || sessions.childrenOf(session).length > 0;
  const said = reachedMessage(reached, hasFamily ? { root: isChild ? root : undefined } : undefined);
  const where = isChild ? "root session" : "Session";
  throw new ApiError("CostLimitReached", `${said}; raise it on the ${where}, and send the prompt again`);
}

/** The prompt found. @throws ApiError unless it has the same requester, session and content */
function sameRequest(found: Prompt, session: Session, { text, images = [], requester }: PromptRequest): Prompt {
  const isSame =
    found.spec.text === text &&
    jsonEqual(found.spec.images ?? [], images) &&
    found.spec.sessionRef.name === session.metadata.name &&
    found.metadata.annotations?.[annotations.requestedBy] === requesterName(requester);
  if (isSame) return found;
  throw new ApiError(
    "RequestConflict",
    `session ${sessionId(session)} was sent another prompt with this clientRequestId`,
  );
}

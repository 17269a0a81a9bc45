import { type ChildAnswer, ChildRequest, childrenPath, longestChildRequest } from "../../api/runtime/children.ts";
import { type Prompt, Session } from "../../api/v1alpha1/index.ts";
import { childRefusal, parentReference } from "../../domain/children/parent.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { Audit, type Requested } from "../http/audit.ts";
import { positionOfPrompt, shownPrompt } from "../sessions/shown-prompt.ts";
import { shownSession } from "../sessions/shown-session.ts";
import { LongLists } from "../http/long-lists.ts";
import { nameOf } from "../http/product-words.ts";
import { pageOf } from "../http/page.ts";
import { PromptEnds } from "../sessions/prompt-ends.ts";
import type { GatewayMetrics } from "../metrics/gateway-metrics.ts";
import type { SessionImages } from "../sessions/images/session-images.ts";
import { promptsOf } from "../sessions/prompt-list.ts";
import { PromptRequests } from "../sessions/prompt-requests.ts";
import type { SessionView } from "../attempts/session-view.ts";
import { isOver } from "../attempts/admission.ts";
import { type Asking, parsed, type RequestKind } from "../attempts/attempt-requests.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";
import { spawnChild } from "./spawns.ts";

interface Deps {
  client: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  sessions: Pick<SessionView, "byUid" | "childrenOf">;
  images: SessionImages;
  events: Pick<EventRecorder, "record">;
  metrics: Pick<GatewayMetrics, "overShare">;
}

type Asked = Extract<ChildRequest, { op: "spawn" | "prompt" }>;

/** Newest prompts of a child that an agent gets. */
const shownPrompts = 20;
/** Milliseconds to wait for the controller's decision; agents have more time than callers of the REST API. */
const decisionMs = 10_000;

/** Requests of agents about the children of their own session. */
export class ChildSessions implements RequestKind {
  readonly path = childrenPath;
  readonly maxBytes = longestChildRequest;
  readonly #deps: Deps;
  readonly #lists: LongLists;
  readonly #requests: PromptRequests;
  readonly #ends: PromptEnds;

  /** Its lists have a limit of their own, apart from that of the REST API. */
  constructor(deps: Deps) {
    const audit = new Audit(deps);
    this.#deps = deps;
    this.#lists = new LongLists(deps.client, deps.metrics);
    this.#requests = new PromptRequests({ ...deps, audit, decisionMs, lists: this.#lists });
    this.#ends = new PromptEnds({ ...deps, audit, decisionMs });
  }

  /** @throws SandboxError, ApiError */
  async handle(body: unknown, asking: Asking): Promise<ChildAnswer> {
    const request = parsed(ChildRequest, body);
    const { signal } = asking;
    const parent = await this.#parent(asking);
    const by: Requested = { requester: { kind: "session", session: parent }, signal };
    switch (request.op) {
      case "spawn":
        return this.#ask(await spawnChild({ ...this.#deps, decisionMs }, parent, { ...request, signal }), request, by);
      case "prompt":
        return this.#ask(await this.#child(parent, request.child, signal), request, by);
      case "list":
        return { status: 200, body: { children: this.#deps.sessions.childrenOf(parent).map(shown) } };
      case "get":
        return this.#show(await this.#child(parent, request.child, signal), signal);
      case "cancel":
        return this.#cancel(await this.#child(parent, request.child, signal), by);
    }
  }

  /** Read from the API server: the cache may not show yet that the attempt has ended. A build has no children. */
  async #parent({ owner, attempt, signal }: Asking): Promise<Session> {
    const { namespace, name = "", uid } = owner.metadata;
    const live = await this.#deps.client.find<Session>(Session, { namespace, name }, { signal });
    if (live?.metadata.uid === uid && live && !isOver(live, attempt)) return live;
    throw new SandboxError(410, "AttemptOver", "this attempt of the session is over");
  }

  async #child(parent: Session, name: string, signal: AbortSignal): Promise<Session> {
    const { namespace } = parent.metadata;
    const child = await this.#deps.client.find<Session>(Session, { namespace, name }, { signal });
    if (child && parentReference(child)?.uid === parent.metadata.uid) return child;
    throw new SandboxError(404, "NotFound", `this session has no child ${name}`);
  }

  async #ask(child: Session, { prompt: text, requestId }: Asked, by: Requested): Promise<ChildAnswer> {
    const { prompt, session } = await this.#requests.ask(child, { text, clientRequestId: requestId, ...by });
    return { status: 201, body: { child: shown(session ?? child), prompt: shownPrompt(prompt, session) } };
  }

  async #show(child: Session, signal: AbortSignal): Promise<ChildAnswer> {
    const prompts = await this.#prompts(child, signal);
    const { entries } = pageOf(prompts, positionOfPrompt, { limit: shownPrompts });
    return { status: 200, body: { child: shown(child), prompts: entries.map((one) => shownPrompt(one, child)) } };
  }

  /** Cancels unfinished prompts of the child and its own children, and those of them that have no prompt yet. */
  async #cancel(child: Session, by: Requested): Promise<ChildAnswer> {
    const family = [child, ...this.#deps.sessions.childrenOf(child)];
    let cancelled = 0;
    for (const one of family) {
      const prompts = await this.#prompts(one, by.signal);
      const wasAsked = prompts.length > 0 || (one.status?.promptsEnded ?? 0) > 0;
      if (!wasAsked) await this.#requests.cancelUnprompted(one, by);
      for (const prompt of prompts) {
        if (isSettled(prompt)) continue;
        await this.#ends.cancel(prompt, by);
        cancelled += 1;
      }
    }
    return { status: 200, body: { child: shown(child), cancelledPrompts: cancelled } };
  }

  #prompts(session: Session, signal: AbortSignal): Promise<Prompt[]> {
    return promptsOf(this.#lists, nameOf(session), signal);
  }
}

/** A child as in the REST API, but with the name that agents use in requests. */
function shown(child: Session): object {
  const { status, result, sandbox, unfinishedPrompts, endedPrompts } = shownSession(child);
  const refusal = childRefusal(child);
  return {
    name: child.metadata.name,
    title: child.spec.title ?? null,
    status: refusal === undefined ? status : "refused",
    unfinishedPrompts,
    endedPrompts,
    result,
    sandbox,
  };
}

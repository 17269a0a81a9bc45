import { Prompt, type PromptStatus } from "../../api/v1alpha1/prompt.ts";
import { Session, type SessionStatus } from "../../api/v1alpha1/session.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import { conflict, isInvalid, isNotFound } from "../../kube/errors.ts";
import type { EventFacts } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { keyOf } from "../../lib/resource.ts";
import type { PoolAnswer, PoolMetrics } from "../metrics/pool-metrics.ts";
import {
  type AttemptEffect,
  type AttemptEffectDeps,
  type AttemptOutcome,
  performAttemptEffect,
} from "../sandbox/effects.ts";
import type { StartObstacle } from "../sandbox/facts.ts";
import type { DueStart, Leftover, UnrecordedStart } from "./facts.ts";

/** An Event about the session. */
export type SessionEvent = Omit<EventFacts, "regarding">;

/** One write for a session, and the Event that tells of it. */
export type SessionEffect = (
  | { kind: "deleteLeftover"; leftover: Leftover }
  | { kind: "deleteSession"; session: Session }
  | { kind: "deletePrompt"; prompt: Prompt }
  | { kind: "settlePrompt"; prompt: Prompt; status: PromptStatus }
  | { kind: "writeStatus"; status: SessionStatus }
  | Exclude<AttemptEffect, { kind: "createPod" }>
  | (Extract<AttemptEffect, { kind: "createPod" }> & { due: DueStart; ofPool?: PoolAnswer | undefined })
) & { event?: SessionEvent | undefined };

/** What effects found out that the next decision needs; it is lost with the process, and then found out again. */
export interface Findings {
  start?: UnrecordedStart | undefined;
  obstacle?: StartObstacle | undefined;
  /** Why the volume of the current attempt cannot be saved. */
  notSaved?: string | undefined;
}

export interface SessionEffectDeps extends AttemptEffectDeps {
  client: AttemptEffectDeps["client"] & Pick<KubeClient, "find" | "patchStatus">;
  events: { record(event: EventFacts): void };
  poolMetrics?: PoolMetrics | undefined;
}

/** Carries out decisions about one session, whose version goes on with each write. */
export class SessionActor {
  readonly #deps: SessionEffectDeps;
  readonly #findings: Findings;
  #session: Session | undefined;

  /** `session` is undefined where there is none of the name; `findings` are added to. */
  constructor(deps: SessionEffectDeps, session: Session | undefined, findings: Findings) {
    this.#deps = deps;
    this.#session = session;
    this.#findings = findings;
  }

  /**
   * Carries effects out in order. Rejects at the first that fails, which is always safe to decide on again; says whether
   * all were carried out, or one of them found something out that must be decided on first.
   */
  async perform(effects: readonly SessionEffect[]): Promise<"all" | "found"> {
    for (const effect of effects) {
      const outcome = await this.#perform(effect);
      if (outcome) this.#find(outcome, effect);
      if (outcome && outcome.kind !== "created") return "found";
      if (effect.event) this.#record(effect.event);
    }
    const { start } = this.#findings;
    const hasOpened = effects.some(({ kind }) => kind === "createTunnelObject");
    if (start && hasOpened) this.#findings.start = { ...start, unopened: undefined };
    return "all";
  }

  async #perform(effect: SessionEffect): Promise<AttemptOutcome | undefined> {
    if (effect.kind === "settlePrompt") return this.#settle(effect.prompt, effect.status);
    if (effect.kind === "writeStatus") return this.#write(effect.status);
    if (effect.kind === "deletePrompt") return this.#delete({ resource: Prompt, object: effect.prompt });
    if (effect.kind === "deleteLeftover") return this.#delete(effect.leftover);
    if (effect.kind !== "deleteSession") return performAttemptEffect(this.#deps, this.#known(), effect);
    return this.#delete({ resource: Session, object: effect.session }, { propagationPolicy: "Background" });
  }

  async #delete(
    { resource, object }: Leftover,
    options: { propagationPolicy?: "Background" } = {},
  ): Promise<undefined> {
    const { uid, resourceVersion } = object.metadata;
    await this.#deps.client.delete(resource, keyOf(object), { uid, resourceVersion, ...options });
  }

  /** A prompt that the gateway has settled meanwhile keeps that verdict, which the cache shows in a moment. */
  async #settle(prompt: Prompt, status: PromptStatus): Promise<undefined> {
    const { client } = this.#deps;
    try {
      await client.patchStatus(Prompt, prompt, status);
      return undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isInvalid(error)) throw error;
      const live = await client.find(Prompt, keyOf(prompt));
      if (live && !isSettled(live)) throw error;
      const message = `Prompt ${prompt.metadata.name ?? ""} has changed since it was judged`;
      throw conflict(message);
    }
  }

  async #write(status: SessionStatus): Promise<undefined> {
    this.#session = await this.#deps.client.patchStatus(Session, this.#known(), status);
    if (status.sandbox?.attempt === this.#findings.start?.attempt) this.#findings.start = undefined;
  }

  #find(outcome: AttemptOutcome, effect: SessionEffect): void {
    const findings = this.#findings;
    if (outcome.kind === "notSaved") findings.notSaved = outcome.problem;
    if (outcome.kind === "obstructed") {
      findings.obstacle = outcome.obstacle;
      findings.start = undefined;
    }
    if (outcome.kind === "created" && effect.kind === "createPod") {
      const { forPromptUID, replacement } = effect.due;
      findings.start = { ...outcome.start, forPromptUID, replacement };
      if (effect.ofPool) this.#deps.poolMetrics?.started(effect.ofPool);
      const { replaced: note } = outcome;
      if (note) this.#record({ type: "Warning", reason: reasons.sandboxLost, action: "StartSandbox", note });
    }
  }

  #record(event: SessionEvent): void {
    this.#deps.events.record({ regarding: referenceTo(Session, this.#known()), ...event });
  }

  #known(): Session {
    if (!this.#session) throw new Error("there is no session to work for");
    return this.#session;
  }
}

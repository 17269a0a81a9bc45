import { annotations, type Automation, reasons, Run } from "../../api/v1alpha1/index.ts";
import { randomNameBytes } from "../../domain/object-names.ts";
import { manualRun } from "../../domain/runs/manual-run.ts";
import { isActive } from "../../domain/runs/run-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import { storeOnce } from "../../kube/store-once.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { Audit } from "../http/audit.ts";
import { type Requested, type Requester, requesterName } from "../http/requester.ts";
import { awaitDecision, type Skipped } from "./run-decision.ts";
import { ApiError, writeFailure } from "../http/errors.ts";
import { findAutomation } from "./find-automation.ts";
import type { RunHistory } from "./run-history.ts";

interface FiringsDeps {
  client: Pick<KubeClient, "find" | "get" | "create">;
  clock: Clock;
  random: Pick<Random, "bytes">;
  history: Pick<RunHistory, "of">;
  audit: Audit;
  /** Milliseconds to wait for the controller's decision. */
  decisionMs: number;
}

/** A recorded firing; `started` is its Run when the controller has started it. */
export interface Firing {
  name: string;
  started: Run | undefined;
}

/** Fires automations on request. */
export class Firings {
  readonly #deps: FiringsDeps;

  constructor(deps: FiringsDeps) {
    this.#deps = deps;
  }

  /** Creates a Run and waits for the decision about it. @throws ApiError with the Run's name when it was skipped */
  async fire(
    automation: Automation,
    { requester, whilePaused, signal }: Requested & { whilePaused: boolean },
  ): Promise<Firing> {
    const { audit, decisionMs } = this.#deps;
    const run = this.#makeRun(automation, requester, whilePaused);
    const { name = "" } = run.metadata;
    await this.#store(run, signal);
    audit.note(requester, automation, { reason: reasons.triggered, did: `triggered it as Run ${name}` });
    const decision = await awaitDecision(this.#deps, run, { waitMs: decisionMs, signal });
    if (decision.kind === "skipped") throw await this.#skippedError(automation, name, decision, signal);
    return { name, started: decision.kind === "started" ? decision.run : undefined };
  }

  #makeRun({ metadata }: Automation, requester: Requester, whilePaused: boolean): Run {
    const { namespace = "", name = "", uid } = metadata;
    const { clock, random } = this.#deps;
    const wanted = { automation: { namespace, name, uid }, time: clock.now(), whilePaused };
    const run = manualRun({ ...wanted, random: random.bytes(randomNameBytes) });
    const noted = { ...run.metadata.annotations, [annotations.requestedBy]: requesterName(requester) };
    return { ...run, metadata: { ...run.metadata, annotations: noted } };
  }

  async #store(run: Run, signal: AbortSignal): Promise<void> {
    try {
      await storeOnce<Run>(this.#deps.client, Run, run, { signal });
    } catch (error) {
      throw writeFailure(error);
    }
  }

  async #skippedError(automation: Automation, name: string, skipped: Skipped, signal: AbortSignal): Promise<ApiError> {
    const { code, message } = skipped;
    const active = code === "ConcurrentRunActive" ? await this.#activeName(automation, name, signal) : undefined;
    const details = { invocationId: name, ...(active === undefined ? {} : { activeInvocationId: active }) };
    return new ApiError(code, `Run ${name} was skipped: ${message}`, details);
  }

  /** The active Run of the automation; undefined when it has ended meanwhile or cannot be read. */
  async #activeName(automation: Automation, ours: string, signal: AbortSignal): Promise<string | undefined> {
    const { client, history } = this.#deps;
    const { namespace = "", name = "" } = automation.metadata;
    try {
      const active = (await findAutomation(client, { namespace, name }, signal)).status?.active?.name;
      if (active !== undefined && active !== ours) return active;
      return (await history.of(automation, signal)).find(isActive)?.metadata.name;
    } catch {
      return undefined;
    }
  }
}

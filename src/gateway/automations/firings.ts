import { annotations, Automation, reasons, Run } from "../../api/v1alpha1/index.ts";
import { randomNameBytes } from "../../domain/object-names.ts";
import { manualRun } from "../../domain/runs/manual-run.ts";
import { causeOf, isActive, isSettled, isStarted, stateOf, succeededOf } from "../../domain/runs/run-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import { storeOnce } from "../../kube/store-once.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { keyOf } from "../../lib/resource.ts";
import { type Audit, type Requested, type Requester, requesterName } from "../http/audit.ts";
import { ApiError, type ErrorCode, failWrite } from "../http/errors.ts";
import { findLive } from "../http/find-live.ts";
import type { LongLists } from "../http/long-lists.ts";
import { lookUntil } from "../http/look-until.ts";
import { nameOf } from "../http/product-words.ts";
import { runsOf } from "./run-history.ts";

interface FiringsDeps {
  client: Pick<KubeClient, "find" | "get" | "create">;
  clock: Clock;
  random: Pick<Random, "bytes">;
  lists: LongLists;
  audit: Audit;
  /** Milliseconds to wait for the controller's decision. */
  decisionMs: number;
}

/** Fires automations on request. */
export class Firings {
  readonly #deps: FiringsDeps;

  constructor(deps: FiringsDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a Run and waits for the decision about it. Gives the Run's name, and the Run when the controller has started
   * it. @throws ApiError with the Run's name when it was skipped
   */
  async fire(
    automation: Automation,
    { requester, whilePaused, signal }: Requested & { whilePaused: boolean },
  ): Promise<{ name: string; started: Run | undefined }> {
    const { client, audit } = this.#deps;
    const run = this.#makeRun(automation, requester, whilePaused);
    const { name = "" } = run.metadata;
    await storeOnce<Run>(client, Run, run, { signal }).catch(failWrite);
    audit.note(requester, automation, { reason: reasons.triggered, did: `triggered it as Run ${name}` });
    const decided = await this.#decided(run, signal);
    if (decided && isSkipped(decided)) throw await this.#skippedError(automation, decided, signal);
    return { name, started: decided };
  }

  #makeRun(automation: Automation, requester: Requester, whilePaused: boolean): Run {
    const { clock, random } = this.#deps;
    const wanted = {
      automation: { ...nameOf(automation), uid: automation.metadata.uid },
      time: clock.now(),
      whilePaused,
    };
    const run = manualRun({ ...wanted, random: random.bytes(randomNameBytes) });
    const noted = { ...run.metadata.annotations, [annotations.requestedBy]: requesterName(requester) };
    return { ...run, metadata: { ...run.metadata, annotations: noted } };
  }

  /** The Run that the controller has decided about; undefined without a decision in time. */
  #decided(run: Run, signal: AbortSignal): Promise<Run | undefined> {
    const { client, clock, decisionMs } = this.#deps;
    // The Run is stored: a read that fails must not fail the request.
    return lookUntil(clock, { waitMs: decisionMs, signal }, async () => {
      const now = await client.find<Run>(Run, keyOf(run), { signal });
      return now && (isStarted(now) || isSettled(now)) ? now : undefined;
    });
  }

  async #skippedError(automation: Automation, run: Run, signal: AbortSignal): Promise<ApiError> {
    const { name = "" } = run.metadata;
    const code = codes[causeOf(run) ?? ""] ?? "RunSkipped";
    const active = code === "ConcurrentRunActive" ? await this.#activeName(automation, name, signal) : undefined;
    const details = { invocationId: name, ...(active === undefined ? {} : { activeInvocationId: active }) };
    return new ApiError(code, `Run ${name} was skipped: ${succeededOf(run)?.message ?? ""}`, details);
  }

  /** The active Run of the automation; undefined when it has ended meanwhile or cannot be read. */
  async #activeName(automation: Automation, ours: string, signal: AbortSignal): Promise<string | undefined> {
    const { client, lists } = this.#deps;
    try {
      const now = await findLive<Automation>(client, Automation, nameOf(automation), signal);
      const active = now.status?.active?.name;
      if (active !== undefined && active !== ours) return active;
      return (await runsOf(lists, automation, signal)).find(isActive)?.metadata.name;
    } catch {
      return undefined;
    }
  }
}

const codes: Readonly<Record<string, ErrorCode>> = {
  [reasons.automationPaused]: "AutomationPaused",
  [reasons.concurrentRunActive]: "ConcurrentRunActive",
};

function isSkipped(run: Run): boolean {
  return isSettled(run) && stateOf(run) === reasons.skipped;
}

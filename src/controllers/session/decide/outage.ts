import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { GatewayOutage } from "../../sandbox/facts.ts";

/** Whether no gateway is there now, so that clocks of boot, prompt and idleness stand still. */
export function isWithoutGateway(outage: GatewayOutage | undefined): boolean {
  return outage !== undefined && outage.untilMs === undefined;
}

/** The facts by which deadlines are shown: those of a moment in which an outage is only assumed are the same as ever. */
export function shownBy<T extends { gatewayOutage?: GatewayOutage | undefined }>(facts: T): T {
  return facts.gatewayOutage?.isAssumed ? { ...facts, gatewayOutage: undefined } : facts;
}

/**
 * The status with the deadlines of boot and prompt moved by an outage of all gateways that is over. What is stored says which
 * outage was counted last, so that each is counted once.
 */
export function afterOutage(status: SessionStatus, outage: GatewayOutage | undefined): SessionStatus {
  const { sandbox, currentPrompt } = status;
  if (!sandbox || outage?.untilMs === undefined || !isUncounted(sandbox, outage.untilMs)) return status;
  const { fromMs, untilMs } = outage;
  const stoodMs = (since: string): number => Math.max(0, untilMs - Math.max(fromMs, Date.parse(since)));
  const bootMs = sandbox.readyTime === undefined ? stoodMs(sandbox.createTime) : 0;
  const promptMs = currentPrompt ? stoodMs(currentPrompt.startTime) : 0;
  if (bootMs === 0 && promptMs === 0) return status;
  const counted = { ...withLongerBoot(sandbox, bootMs), gatewaysBackTime: new Date(untilMs).toISOString() };
  return { ...status, sandbox: counted, ...(currentPrompt && { currentPrompt: moved(currentPrompt, promptMs) }) };
}

/** Whether the sandbox goes on and its status does not count the outage that ended at `untilMs`. */
function isUncounted({ endTime, gatewaysBackTime }: Sandbox, untilMs: number): boolean {
  return endTime === undefined && (gatewaysBackTime === undefined || Date.parse(gatewaysBackTime) < untilMs);
}

function withLongerBoot(sandbox: Sandbox, ms: number): Sandbox {
  return ms === 0 ? sandbox : { ...sandbox, gatewaysAwayMs: (sandbox.gatewaysAwayMs ?? 0) + ms };
}

function moved<T extends { deadline: string }>(prompt: T, ms: number): T {
  return { ...prompt, deadline: new Date(Date.parse(prompt.deadline) + ms).toISOString() };
}

import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { type Deadline, deadlineAfter, hasPassed } from "../../../domain/clocks/deadline.ts";
import { snapshotNote } from "../../sandbox/decide/saving.ts";
import { keepsWorkspace } from "../../sandbox/owner.ts";
import type { SessionFacts } from "../facts.ts";
import { waitsForNext } from "./next-sandbox.ts";
import { isWithoutGateway } from "./outage.ts";
import { workOf } from "./queue.ts";
import { bufferOf, lifetimeLeft, lossAhead, reasonToSave } from "./saving.ts";

/** Usual `maxUnsavedSeconds`, of sandboxes that were created before it was stored. */
const usualUnsavedSeconds = 86_400;

/**
 * When an idle sandbox ends although its workspace could not be saved; undefined while no try has failed, and while no
 * gateway is there that could save it.
 */
export function unsavedEnds(
  { session, gatewayOutage }: SessionFacts,
  { sandbox, idleSince }: SessionStatus,
): Deadline | undefined {
  const { endTime, saveFailures, maxUnsavedSeconds = usualUnsavedSeconds } = sandbox ?? {};
  if (endTime !== undefined || saveFailures === undefined || idleSince === undefined) return undefined;
  if (isWithoutGateway(gatewayOutage)) return undefined;
  const seconds = session.spec.idleTimeoutSeconds + maxUnsavedSeconds;
  return deadlineAfter(idleSince, seconds * 1_000, reasons.workspaceNotSaved);
}

/**
 * The status once the saving of an idle sandbox goes on no more, as there is work again or this try has failed, which
 * `failed` says. Idleness alone is no reason to end unsaved, so the sandbox stays.
 */
export function withoutIdleSaving(
  facts: SessionFacts,
  status: SessionStatus,
  now: Date,
): { status: SessionStatus; failed?: string } {
  const { sandbox } = status;
  if (!sandbox || sandbox.endTime !== undefined || !keepsWorkspace(facts.session)) return { status };
  if (workOf(facts, status).length > 0 && !waitsForNext(facts, status, now))
    return { status: { ...status, sandbox: backAtWork(facts, status, sandbox, now) } };
  const failed = failureOf(facts, status, sandbox, now);
  if (failed === undefined) return { status };
  const saveFailures = (sandbox.saveFailures ?? 0) + 1;
  const stopped = { ...sandbox, snapshotTime: undefined, saveFailures, saveFailureTime: now.toISOString() };
  return { status: { ...status, sandbox: stopped }, failed };
}

/** A workspace that is saved already, or has to be as the lifetime ends, is left to end. */
function backAtWork(facts: SessionFacts, status: SessionStatus, sandbox: Sandbox, now: Date): Sandbox {
  if (!isIdleSave(facts, status, sandbox)) return sandbox;
  const atLifetime = lifetimeLeft(status);
  const mustEnd = atLifetime !== undefined && hasPassed(atLifetime, now);
  return mustEnd ? sandbox : { ...sandbox, snapshotTime: undefined };
}

/** Whether the workspace is being saved, and is not saved yet, for no other reason than that the sandbox is idle. */
function isIdleSave(facts: SessionFacts, status: SessionStatus, sandbox: Sandbox): boolean {
  if (lossAhead(facts, status)) return false;
  if (sandbox.snapshotTime === undefined || snapshotNote(facts, sandbox)?.bytes !== undefined) return false;
  return reasonToSave(facts, status, sandbox.snapshotTime) === reasons.stopped;
}

function failureOf(facts: SessionFacts, status: SessionStatus, sandbox: Sandbox, now: Date): string | undefined {
  const { snapshotTime = "" } = sandbox;
  if (!isIdleSave(facts, status, sandbox)) return undefined;
  const note = snapshotNote(facts, sandbox);
  if (note && !note.goesOn) return note.problem ?? "no reason was given";
  const bufferMs = bufferOf(status);
  if (!hasPassed(deadlineAfter(snapshotTime, bufferMs, reasons.stopped), now)) return undefined;
  return note?.problem ?? `it was not done within ${bufferMs} ms`;
}

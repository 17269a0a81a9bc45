import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { ClockLimits } from "../../../domain/clocks/limits.ts";
import type { Deadline } from "../../../domain/clocks/deadline.ts";
import { sessionDeadlines } from "../../../domain/clocks/session-clocks.ts";
import { settingsOf } from "../../../domain/settings/effective.ts";
import type { AttemptTerms } from "../../sandbox/decide.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import { keepsWorkspace } from "../../sandbox/owner.ts";
import type { SessionFacts } from "../facts.ts";
import { unsavedEnds } from "./idle-saving.ts";
import { isWithoutGateway } from "./outage.ts";
import { workOf } from "./queue.ts";
import { lossAhead, nothingLeft, notDoneInTime, savedFor, savingEnds } from "./saving.ts";

/** What the session wants of its sandbox; `status` is the one that is being decided on. */
export function termsOf(facts: SessionFacts, status: SessionStatus, limits: ClockLimits): AttemptTerms {
  const unsaved = unsavedMessage(status);
  const loss = lossAhead(facts, status);
  return {
    limits,
    lifetimeMs: status.lifetimeMs,
    deadlines: deadlinesOf(facts, status, limits),
    clockMessages: {
      [reasons.executionTimeout]: `${notDoneInTime(status)}${unsaved}`,
      [reasons.stopped]: nothingLeft,
      ...(loss && { [reasons.sandboxLost]: `${loss.message}${unsaved}` }),
      [reasons.workspaceNotSaved]: "the idle sandbox ended unsaved, as its workspace could not be saved for too long",
    },
    savedFor: savedFor(facts, status),
    isRescued: loss !== undefined,
    unwanted: unwanted(facts, status),
  };
}

/** The session's running clocks. */
export function deadlinesOf(facts: SessionFacts, status: SessionStatus, limits: ClockLimits): Deadline[] {
  const isSaving = status.sandbox?.snapshotTime !== undefined;
  const clocks = sessionDeadlines(
    {
      sandbox: status.sandbox,
      connected: facts.lease !== undefined,
      connectHeldUntilMs: facts.connectHeldUntilMs,
      isWithoutGateway: isWithoutGateway(facts.gatewayOutage),
      // One that is processed when the saving begins fails at once.
      currentPrompt: isSaving ? undefined : status.currentPrompt,
      executionTimeoutMs: status.executionTimeoutMs,
      // A sandbox whose workspace is saved, or will be, ends with the saving.
      lifetimeMs: isSaving ? undefined : status.lifetimeMs,
      idleSince: isSaving || keepsWorkspace(facts.session) ? undefined : status.idleSince,
      idleTimeoutMs: facts.session.spec.idleTimeoutSeconds * 1_000,
    },
    limits,
  );
  return [...clocks, savingEnds(facts, status) ?? [], unsavedEnds(facts, status) ?? []].flat();
}

/** When a connect watchdog that is held may go on (milliseconds since 1970); undefined: none is. */
export function connectGoesOn(facts: SessionFacts, { sandbox }: SessionStatus): number | undefined {
  const isRunning = sandbox?.containerStartTime !== undefined && sandbox.endTime === undefined;
  return isRunning && !facts.lease ? facts.connectHeldUntilMs : undefined;
}

/** The prompt that it was started for was withdrawn, and the session keeps no sandbox for the next one. */
function unwanted(facts: SessionFacts, status: SessionStatus): AttemptEnd | undefined {
  const isKept = status.sandbox?.readyTime !== undefined || facts.session.spec.idleTimeoutSeconds > 0;
  if (isKept || workOf(facts, status).length > 0) return undefined;
  return { reason: reasons.stopped, message: nothingLeft };
}

function unsavedMessage(status: SessionStatus): string {
  if (status.sandbox?.snapshotTime === undefined) return "";
  return `; its workspace was not saved within ${settingsOf({ status }).finalSnapshotBufferMs} ms`;
}

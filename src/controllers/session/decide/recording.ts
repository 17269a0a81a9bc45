import { labels } from "../../../api/v1alpha1/names.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { SessionFacts } from "../facts.ts";
import { bootShownAt, recordDeadlineMs } from "./start.ts";
import { changeOf } from "./status-diff.ts";
import type { JudgedStatus } from "./status.ts";

/** Whether the status has a change that others act on, and that cannot wait. */
export function isFactToWrite(facts: SessionFacts, { status, end }: JudgedStatus, now: Date): boolean {
  // A new pod that waits to be recorded goes along with what cannot wait.
  const urgent = !end && awaitsContainer(facts, status, now) ? withoutRecord(facts.session, status) : status;
  return changeOf(facts.session, urgent) === "fact";
}

function withoutRecord({ status: stored = {} }: Session, status: SessionStatus): SessionStatus {
  const { sandbox, executionTimeoutMs, lifetimeMs, settings, settingOrigins, idleSince } = stored;
  return { ...status, sandbox, executionTimeoutMs, lifetimeMs, settings, settingOrigins, idleSince };
}

/** Whether recording a new pod can be put off until its container runs, or something shows that it will not. */
function awaitsContainer({ start, pods }: SessionFacts, { sandbox }: SessionStatus, now: Date): boolean {
  if (!start || sandbox?.containerStartTime !== undefined) return false;
  const pod = pods.find(({ uid }) => uid === start.podUID);
  return !pod?.waiting && now.getTime() < recordDeadlineMs(start.createTime);
}

/** Whether the status has a change that only people read, and that need not wait for one that others act on. */
export function isWordsToWrite(facts: SessionFacts, status: SessionStatus, now: Date): boolean {
  if (awaitsPrompt(facts) || awaitsContainer(facts, status, now)) return false;
  return changeOf(facts.session, status) === "shown" && !isBootHeldBack(facts, status, now);
}

/** A Run's session gets its first prompt in a moment; until then there is nothing to say. */
function awaitsPrompt({ session, prompts }: SessionFacts): boolean {
  const { metadata, status = {} } = session;
  return metadata.labels?.[labels.runUid] !== undefined && prompts.length === 0 && status.conditions === undefined;
}

/** A runtime that connects is usually ready soon, and then one write says both. */
function isBootHeldBack({ lease }: SessionFacts, { sandbox }: SessionStatus, now: Date): boolean {
  const shownMs = sandbox && bootShownAt(sandbox);
  return lease !== undefined && shownMs !== undefined && now.getTime() < shownMs;
}

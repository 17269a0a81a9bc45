import { archiveKey, conditionTypes, reasons, type Session } from "../../src/api/v1alpha1/index.ts";
import { findCondition } from "../../src/domain/conditions.ts";
import { type Cluster } from "./cluster.ts";
import { limits } from "./processes.ts";

/** Milliseconds by which wall clocks may have been set. */
const clockErrorMs = 30_000;

/** What must be so of sessions that keep their workspace. */
export class WorkspaceInvariants {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** No sandbox ends unsaved in silence, and no prompt begins in one that has too little time left for it. @throws Error */
  changed(before: Session, after: Session): void {
    if (after.status?.currentPrompt?.uid !== before.status?.currentPrompt?.uid) checkTime(after);
    const { sandbox, snapshot, conditions } = after.status ?? {};
    const { name = "" } = after.metadata;
    const isNew = snapshot?.archive !== before.status?.snapshot?.archive;
    if (isNew && snapshot?.archive !== undefined && this.#archiveOf(after) === undefined) {
      throw new Error(`session ${name} is said to be saved, and there is no such archive`);
    }
    const hasEnded = sandbox?.endTime !== undefined && before.status?.sandbox?.endTime === undefined;
    if (!hasEnded || sandbox.readyTime === undefined || after.spec.idleTimeoutSeconds === 0) return;
    if (snapshot?.attempt === sandbox.attempt) return;
    if (findCondition(conditions, conditionTypes.workspaceSaved)?.status !== "False") {
      throw new Error(`sandbox ${sandbox.attempt} of session ${name} ended unsaved in silence`);
    }
    if (sandbox.endReason === reasons.stopped) this.#checkPatience(before, name);
  }

  /** A new sandbox begins with what was saved last. @throws Error */
  restored(sessionUid: string, workspace: string | undefined): void {
    const sessions = this.#cluster.store.list("sessions", ({ metadata }) => metadata.uid === sessionUid) as Session[];
    for (const session of sessions) {
      if (this.#archiveOf(session) === workspace) continue;
      throw new Error(
        `session ${session.metadata.name ?? ""} begins with ${workspace ?? "nothing"}, not as it was saved`,
      );
    }
  }

  /** It was idle for so long, or the next prompt came when the end of its lifetime was near. */
  #checkPatience(before: Session, name: string): void {
    const { idleSince, sandbox, lifetimeMs = 0, settings } = before.status ?? {};
    const nowMs = this.#cluster.clock.now().getTime();
    if (idleSince === undefined) {
      const agedMs = nowMs - Date.parse(sandbox?.createTime ?? "");
      if (agedMs >= lifetimeMs - (settings?.finalSnapshotBufferMs ?? 0) - clockErrorMs) return;
      throw new Error(
        `the sandbox of session ${name} ended unsaved ${agedMs} ms after it was made, with a prompt in line`,
      );
    }
    const idleMs = nowMs - Date.parse(idleSince);
    const patientMs = (before.spec.idleTimeoutSeconds + limits.unsavedSeconds) * 1_000 - clockErrorMs;
    if (idleMs < patientMs) throw new Error(`session ${name} was idle for ${idleMs} ms and ended unsaved`);
  }

  #archiveOf({ metadata, status }: Session): string | undefined {
    const { attempt = 0, archive = "" } = status?.snapshot ?? {};
    return this.#cluster.workspaces.find(archiveKey(metadata.uid ?? "", { attempt, archive }));
  }
}

/** A later prompt of a sandbox has its whole budget before saving begins, unless a save has failed. */
function checkTime({ metadata, spec, status = {} }: Session): void {
  const { currentPrompt, sandbox, settings, conditions, lifetimeMs = 0, executionTimeoutMs = 0 } = status;
  if (!currentPrompt || !sandbox || !settings || spec.idleTimeoutSeconds === 0) return;
  const hasFailed = findCondition(conditions, conditionTypes.workspaceSaved)?.status === "False";
  if (currentPrompt.uid === sandbox.forPromptUID || hasFailed) return;
  const usableMs = lifetimeMs - settings.finalSnapshotBufferMs;
  const leftMs = Date.parse(sandbox.createTime) + usableMs - Date.parse(currentPrompt.startTime);
  if (executionTimeoutMs <= usableMs && leftMs < executionTimeoutMs) {
    throw new Error(`a prompt of session ${metadata.name ?? ""} begins ${leftMs} ms before its sandbox is saved`);
  }
}

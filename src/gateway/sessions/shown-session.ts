import { conditionTypes, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { knownInstant, nameOf, reasonWord, sessionState, shownResult } from "../http/product-words.ts";
import type { Position } from "../http/page.ts";
import { namespacedNameText } from "../../lib/namespaced-name.ts";
import type { ShownSession } from "./answers.ts";

type Status = NonNullable<Session["status"]>;

/** A Session in the REST API. */
export function shownSession(session: Session): ShownSession {
  const { metadata, spec, status = {} } = session;
  return {
    id: sessionId(session),
    namespace: metadata.namespace ?? "",
    name: spec.title ?? metadata.name ?? "",
    status: sessionState(status),
    repositories: (spec.target.repositoryRefs ?? []).map(({ name }) => name),
    environment: spec.target.environmentRef?.name ?? null,
    serviceAccountName: spec.serviceAccountName,
    ...shownWork(status),
    sandbox: shownSandbox(status),
    costUsd: status.costUsd ?? null,
    tunnels: shownTunnels(status),
    result: shownResult(status.result),
    createdAt: knownInstant(metadata.creationTimestamp),
  };
}

type Work = "currentPrompt" | "unfinishedPrompts" | "endedPrompts" | "nextDeadline";

function shownWork({ currentPrompt, queue = [], promptsEnded = 0, nextDeadline }: Status): Pick<ShownSession, Work> {
  return {
    currentPrompt: currentPrompt
      ? {
          id: currentPrompt.name,
          startedAt: knownInstant(currentPrompt.startTime),
          deadlineAt: knownInstant(currentPrompt.deadline),
        }
      : null,
    unfinishedPrompts: queue.length,
    endedPrompts: promptsEnded,
    nextDeadline: nextDeadline
      ? { at: knownInstant(nextDeadline.time), reason: reasonWord(nextDeadline.reason) }
      : null,
  };
}

function shownSandbox({ conditions }: Status): ShownSession["sandbox"] {
  const ready = findCondition(conditions, conditionTypes.ready);
  if (!ready) return null;
  return { isReady: ready.status === "True", reason: reasonWord(ready.reason), message: ready.message };
}

/** Ports of a sandbox that has ended cannot be reached. */
function shownTunnels({ sandbox }: Status): ShownSession["tunnels"] {
  if (!sandbox || sandbox.endTime !== undefined) return [];
  return (sandbox.tunnels ?? []).map(({ port, url }) => ({ port, url }));
}

/** The id of a session in paths. */
export function sessionId(session: Session): string {
  return namespacedNameText(nameOf(session));
}

/** Sort key: newest first. */
export function positionOfSession(session: Session): Position {
  return [knownInstant(session.metadata.creationTimestamp), sessionId(session)];
}

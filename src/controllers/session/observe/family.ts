import { labels } from "../../../api/v1alpha1/names.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import { childRefusal, deepestChild, depthOf, parentReference } from "../../../domain/children/parent.ts";
import { childIdleTimeoutSeconds, type ObservedChild } from "../../../domain/children/admit.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { defaultClassOf } from "../../sandbox/default-class.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import { uidKeyOf } from "../../kind-informers.ts";
import { isQueued } from "../../queued-session.ts";
import { sessionWork } from "../../session-work.ts";
import { byParentIndex, bySessionIndex, type SessionInformers } from "../informers.ts";

interface FamilyInformers {
  sandboxClasses: Pick<SessionInformers["sandboxClasses"], "get" | "list">;
  sessions: Pick<SessionInformers["sessions"], "get" | "byIndex">;
  prompts: Pick<SessionInformers["prompts"], "byIndex">;
}

/** What its parent has decided about a child; `open`: nothing yet. */
export type ChildVerdict =
  | { kind: "open" }
  /** `mayWork`: it is one of those that may be at work at once. */
  | { kind: "admitted"; mayWork: boolean }
  | { kind: "refused"; message: string };

/** What the parent says of this session; undefined: it is no child. */
export function childVerdict({ sessions }: FamilyInformers, session: Session): ChildVerdict | undefined {
  const reference = parentReference(session);
  const labelled = session.metadata.labels?.[labels.parentUid];
  if (!reference && labelled === undefined) return undefined;
  const own = childRefusal(session);
  if (own !== undefined) return { kind: "refused", message: own };
  if (!reference || (labelled !== undefined && labelled !== reference.uid)) {
    return { kind: "refused", message: `its label ${labels.parentUid} names a session that does not own it` };
  }
  const parent = sessions.get({ namespace: session.metadata.namespace, name: reference.name });
  return parent?.metadata.uid === reference.uid ? verdictOf(parent, session) : { kind: "open" };
}

function verdictOf({ status }: Session, { metadata }: Session): ChildVerdict {
  const { uid = "" } = metadata;
  const { admitted = [], working = admitted, refused = [] } = status?.children ?? {};
  if (admitted.includes(uid)) return { kind: "admitted", mayWork: working.includes(uid) };
  const refusal = refused.find((one) => one.uid === uid);
  return refusal ? { kind: "refused", message: refusal.message } : { kind: "open" };
}

/** The children of a session in the order of their creation. */
export function observeChildren(informers: FamilyInformers, parent: Session, now: Date): ObservedChild[] {
  const { sessions } = informers;
  const { namespace } = parent.metadata;
  const depth = depthOf(parent, ({ name, uid }) => {
    const above = sessions.get({ namespace, name });
    return above?.metadata.uid === uid ? above : undefined;
  });
  const full = classProblem(informers, parent);
  return sessions
    .byIndex(byParentIndex, uidKeyOf(parent))
    .sort((left, right) => Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion))
    .map((child) => ({
      uid: child.metadata.uid ?? "",
      ...sessionWork(informers, child, now),
      unfinished: unfinishedOf(informers, child),
      isQueued: isQueued(child),
      isRefused: childRefusal(child) !== undefined,
      problem: problemOf(parent, child, depth) ?? full,
    }));
}

function unfinishedOf({ sessions, prompts }: FamilyInformers, child: Session): ObservedChild["unfinished"] {
  return [child, ...sessions.byIndex(byParentIndex, uidKeyOf(child))].flatMap((session) =>
    prompts
      .byIndex(bySessionIndex, keyText(keyOf(session)))
      .filter((prompt) => !isSettled(prompt))
      .map((prompt) => ({ prompt, session })),
  );
}

/** What a child has from its parent, so that an agent gets nothing by starting one. */
const inheritedFields = ["target", "serviceAccountName", "sandboxClassName", "agent", "settings"] as const;

function problemOf(parent: Session, child: Session, depth: number): string | undefined {
  if (depth >= deepestChild) return `child sessions lie at most ${deepestChild} deep`;
  const isAlike = inheritedFields.every((field) => jsonEqual(parent.spec[field], child.spec[field]));
  if (!isAlike) return "a child session keeps target, ServiceAccount, class, agent and settings of its parent";
  if (child.spec.idleTimeoutSeconds <= childIdleTimeoutSeconds) return undefined;
  return `a child session's idleTimeoutSeconds is at most ${childIdleTimeoutSeconds}`;
}

/** A parent holds its place while it waits for its children, so one place is too few. */
function classProblem({ sandboxClasses }: FamilyInformers, { spec }: Session): string | undefined {
  const { sandboxClassName: name } = spec;
  const found = name === undefined ? defaultClassOf(sandboxClasses.list()) : sandboxClasses.get({ name });
  if (!found) return undefined;
  const className = `SandboxClass ${found.metadata.name ?? ""}`;
  if (found.spec.maxSandboxes === 1) return `${className} has one place (maxSandboxes), which its parent needs`;
  if (found.spec.maxSandboxesPerNamespace !== 1) return undefined;
  return `${className} has one place a namespace (maxSandboxesPerNamespace), which its parent needs`;
}

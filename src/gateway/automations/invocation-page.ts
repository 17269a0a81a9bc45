import type { Run } from "../../api/v1alpha1/index.ts";
import { namespacedNameText } from "../../lib/namespaced-name.ts";
import type { TrimmedHistory } from "../http/answers.ts";
import { type Page, pageOf, type Position } from "../http/page.ts";
import type { Invocation } from "./answers.ts";
import { positionOfInvocation, shownInvocation } from "./shown-invocation.ts";

export interface ArchivedInvocation {
  position: Position;
  invocation: Invocation;
}

/** An automation, and no later one of its name. */
export interface AutomationIdentity {
  namespace: string;
  uid: string;
  /** When it was created, in milliseconds. */
  beginMs: number;
}

/** Firings of an automation, and what its namespace has no more of the time since it was created. */
export interface ArchivedInvocations {
  invocations: ArchivedInvocation[];
  trimmed?: TrimmedHistory[] | undefined;
}

/** Firings of one automation that are kept beyond the cluster. */
export interface InvocationHistory {
  /** Those after a cursor, newest first, at most `limit`, without those that are live; undefined while they cannot be read. */
  after(
    automation: AutomationIdentity,
    wanted: { cursor: string; limit: number; isLive: (uid: string) => boolean },
  ): Promise<ArchivedInvocations | undefined>;
}

/** A page of what the cluster and the archive have together; `isComplete` is false while the archive cannot be read. */
export async function invocationPage(
  runs: readonly Run[],
  automation: AutomationIdentity & { name: string },
  {
    query,
    history,
  }: { query: { limit: number; cursor?: string | undefined }; history?: InvocationHistory | undefined },
): Promise<Page<Invocation> & { isComplete: boolean; trimmed?: TrimmedHistory[] | undefined }> {
  const live = new Set(runs.map(({ metadata }) => metadata.uid ?? ""));
  const { limit, cursor = "" } = query;
  // One more than the page has shows that there are more.
  const wanted = { cursor, limit: limit + 1, isLive: (uid: string) => live.has(uid) };
  const archived = history ? await history.after(automation, wanted) : { invocations: [] };
  const all: ArchivedInvocation[] = [
    ...runs.map((run) => ({
      position: positionOfInvocation(run),
      invocation: shownInvocation(run, namespacedNameText(automation)),
    })),
    ...(archived?.invocations ?? []),
  ];
  const { entries, ...rest } = pageOf(all, ({ position }) => position, query);
  return {
    entries: entries.map(({ invocation }) => invocation),
    ...rest,
    isComplete: archived !== undefined,
    trimmed: archived?.trimmed,
  };
}

import type { z } from "zod";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Caller, Callers, WantedAccess } from "../http/callers.ts";
import type { SessionRights } from "./answers.ts";

/** What a caller may do with a session now: what each operation would ask of RBAC. */
export async function rightsTo(
  callers: Pick<Callers, "may">,
  { caller, session, signal }: { caller: Caller; session: NamespacedName; signal: AbortSignal },
): Promise<z.output<typeof SessionRights>> {
  const { namespace } = session;
  const may = (wanted: Omit<WantedAccess, "namespace">): Promise<boolean> =>
    callers.may(caller, { ...wanted, namespace }, signal);
  const { name } = session;
  const [readEvents, openTunnels, listPrompts, getPrompts, createPrompt, stop, listPullRequests] = await Promise.all([
    may({ verb: "get", resource: "sessions", subresource: "log", name }),
    may({ verb: "create", resource: "sessions", subresource: "tunnel", name }),
    may({ verb: "list", resource: "prompts" }),
    may({ verb: "get", resource: "prompts" }),
    may({ verb: "create", resource: "prompts" }),
    may({ verb: "patch", resource: "prompts" }),
    may({ verb: "list", resource: "pullrequests" }),
  ]);
  return {
    readEvents,
    listPrompts,
    getPrompts,
    createPrompt,
    stop,
    cancel: stop && listPrompts,
    openTunnels,
    getPullRequest: getPrompts && listPullRequests,
    requestPullRequest: stop && listPullRequests,
  };
}

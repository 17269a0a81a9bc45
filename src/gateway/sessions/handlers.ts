import { type Prompt, Session } from "../../api/v1alpha1/index.ts";
import { cancelOrder } from "../../domain/prompts/cancel-order.ts";
import { isSettled, promptStateOf } from "../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { SessionView } from "../attempts/session-view.ts";
import type { Callers } from "../http/callers.ts";
import { ApiError } from "../http/errors.ts";
import { findLive } from "../http/find-live.ts";
import type { LongLists } from "../http/long-lists.ts";
import { pageOf } from "../http/page.ts";
import type { HandlersOf } from "../http/router.ts";
import { findPrompt } from "./find-prompt.ts";
import type { sessionOperations } from "./operations.ts";
import type { PromptEnds } from "./prompt-ends.ts";
import { promptsOf } from "./prompt-list.ts";
import type { PromptRequests } from "./prompt-requests.ts";
import { rightsTo } from "./rights.ts";
import { positionOfPrompt, shownPrompt } from "./shown-prompt.ts";
import { positionOfSession, shownSession } from "./shown-session.ts";

interface SessionHandlersDeps {
  client: Pick<KubeClient, "find">;
  callers: Pick<Callers, "authorize" | "may">;
  sessions: Pick<SessionView, "list" | "hasSynced">;
  lists: LongLists;
  requests: PromptRequests;
  ends: PromptEnds;
}

/** Handlers of sessions. Each authorizes the caller before it reads an object. */
export function sessionHandlers(deps: SessionHandlersDeps): HandlersOf<typeof sessionOperations> {
  const { client, callers, sessions, lists, requests, ends } = deps;
  const detail = (prompt: Prompt, session: Session | undefined) => ({
    prompt: { ...shownPrompt(prompt, session), text: prompt.spec.text, images: prompt.spec.images ?? [] },
  });
  return {
    async listSessions({ caller, query, signal }) {
      await callers.authorize(caller, { verb: "list", resource: "sessions", namespace: query.namespace }, signal);
      if (!sessions.hasSynced) throw new ApiError("Unavailable", "sessions are not known yet; try again");
      const live = sessions.list(query.namespace).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const { entries, ...rest } = pageOf(live, positionOfSession, query);
      return { status: 200, body: { sessions: entries.map(shownSession), ...rest } };
    },
    async getSession({ caller, named, signal }) {
      await callers.authorize(caller, { verb: "get", resource: "sessions", ...named }, signal);
      return { status: 200, body: { session: shownSession(await findLive<Session>(client, Session, named, signal)) } };
    },
    async sessionRights({ caller, named, signal }) {
      await callers.authorize(caller, { verb: "get", resource: "sessions", ...named }, signal);
      await findLive<Session>(client, Session, named, signal);
      return { status: 200, body: await rightsTo(callers, { caller, session: named, signal }) };
    },
    async stopSession({ caller, requester, named, signal }) {
      await callers.authorize(caller, { verb: "get", resource: "sessions", ...named }, signal);
      await callers.authorize(caller, { verb: "patch", resource: "prompts", namespace: named.namespace }, signal);
      const session = await findLive<Session>(client, Session, named, signal);
      const prompt = await ends.stop(session, { requester, signal });
      if (!prompt) return { status: 200, body: { prompt: null } };
      return { status: isSettled(prompt) ? 200 : 202, body: { prompt: shownPrompt(prompt, session) } };
    },
    async cancelSession({ caller, requester, named, signal }) {
      await callers.authorize(caller, { verb: "get", resource: "sessions", ...named }, signal);
      for (const verb of ["list", "patch"]) {
        await callers.authorize(caller, { verb, resource: "prompts", namespace: named.namespace }, signal);
      }
      const session = await findLive<Session>(client, Session, named, signal);
      const wanted = cancelOrder(await promptsOf(lists, named, signal), session);
      const prompts = await ends.cancelAll(wanted, { requester, signal });
      const status = prompts.every(isSettled) ? 200 : 202;
      return { status, body: { prompts: prompts.map((prompt) => shownPrompt(prompt, session)) } };
    },
    async listPrompts({ caller, named, query, signal }) {
      await callers.authorize(caller, { verb: "get", resource: "sessions", ...named }, signal);
      await callers.authorize(caller, { verb: "list", resource: "prompts", namespace: named.namespace }, signal);
      const session = await findLive<Session>(client, Session, named, signal);
      const { entries, ...rest } = pageOf(await promptsOf(lists, named, signal), positionOfPrompt, query);
      return { status: 200, body: { prompts: entries.map((one) => shownPrompt(one, session)), ...rest } };
    },
    async createPrompt({ caller, requester, named, body, signal }) {
      await callers.authorize(caller, { verb: "create", resource: "prompts", namespace: named.namespace }, signal);
      const asked = await requests.ask(await findLive<Session>(client, Session, named, signal), {
        ...body,
        requester,
        signal,
      });
      const isOpen = promptStateOf(asked.prompt, asked.session) === "created";
      return { status: isOpen ? 202 : 201, body: detail(asked.prompt, asked.session) };
    },
    async getPrompt({ caller, named, prompt: name, signal }) {
      await callers.authorize(caller, { verb: "get", resource: "prompts", namespace: named.namespace, name }, signal);
      const prompt = await findPrompt(client, { session: named, name }, signal);
      return { status: 200, body: detail(prompt, await client.find<Session>(Session, named, { signal })) };
    },
    async cancelPrompt({ caller, requester, named, prompt: name, signal }) {
      await callers.authorize(caller, { verb: "patch", resource: "prompts", namespace: named.namespace, name }, signal);
      const prompt = await ends.cancel(await findPrompt(client, { session: named, name }, signal), {
        requester,
        signal,
      });
      const session = await client.find<Session>(Session, named, { signal });
      return { status: isSettled(prompt) ? 200 : 202, body: detail(prompt, session) };
    },
  };
}

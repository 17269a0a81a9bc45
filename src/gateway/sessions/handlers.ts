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
  callers: Pick<Callers, "may">;
  sessions: Pick<SessionView, "list" | "hasSynced">;
  lists: LongLists;
  requests: PromptRequests;
  ends: PromptEnds;
}

/** Handlers of sessions. */
export function sessionHandlers(deps: SessionHandlersDeps): HandlersOf<typeof sessionOperations> {
  const { client, callers, sessions, lists, requests, ends } = deps;
  const detail = (prompt: Prompt, session: Session | undefined) => ({
    prompt: { ...shownPrompt(prompt, session), text: prompt.spec.text, images: prompt.spec.images ?? [] },
  });
  return {
    listSessions({ query }) {
      if (!sessions.hasSynced) throw new ApiError("Unavailable", "sessions are not known yet; try again");
      const live = sessions.list(query.namespace).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const { entries, ...rest } = pageOf(live, positionOfSession, query);
      return Promise.resolve({ status: 200, body: { sessions: entries.map(shownSession), ...rest } });
    },
    async getSession({ named, signal }) {
      return { status: 200, body: { session: shownSession(await findLive<Session>(client, Session, named, signal)) } };
    },
    async sessionRights({ caller, named, signal }) {
      await findLive<Session>(client, Session, named, signal);
      return { status: 200, body: await rightsTo(callers, { caller, session: named, signal }) };
    },
    async stopSession({ requester, named, signal }) {
      const session = await findLive<Session>(client, Session, named, signal);
      const prompt = await ends.stop(session, { requester, signal });
      if (!prompt) return { status: 200, body: { prompt: null } };
      return { status: isSettled(prompt) ? 200 : 202, body: { prompt: shownPrompt(prompt, session) } };
    },
    async cancelSession({ requester, named, signal }) {
      const session = await findLive<Session>(client, Session, named, signal);
      const wanted = cancelOrder(await promptsOf(lists, named, signal), session);
      const prompts = await ends.cancelAll(wanted, { requester, signal });
      const status = prompts.every(isSettled) ? 200 : 202;
      return { status, body: { prompts: prompts.map((prompt) => shownPrompt(prompt, session)) } };
    },
    async listPrompts({ named, query, signal }) {
      const session = await findLive<Session>(client, Session, named, signal);
      const { entries, ...rest } = pageOf(await promptsOf(lists, named, signal), positionOfPrompt, query);
      return { status: 200, body: { prompts: entries.map((one) => shownPrompt(one, session)), ...rest } };
    },
    async createPrompt({ requester, named, body, signal }) {
      const asked = await requests.ask(await findLive<Session>(client, Session, named, signal), {
        ...body,
        requester,
        signal,
      });
      const isOpen = promptStateOf(asked.prompt, asked.session) === "created";
      return { status: isOpen ? 202 : 201, body: detail(asked.prompt, asked.session) };
    },
    async getPrompt({ named, prompt: name, signal }) {
      const prompt = await findPrompt(client, { session: named, name }, signal);
      return { status: 200, body: detail(prompt, await client.find<Session>(Session, named, { signal })) };
    },
    async cancelPrompt({ requester, named, prompt: name, signal }) {
      const prompt = await ends.cancel(await findPrompt(client, { session: named, name }, signal), {
        requester,
        signal,
      });
      const session = await client.find<Session>(Session, named, { signal });
      return { status: isSettled(prompt) ? 200 : 202, body: detail(prompt, session) };
    },
  };
}

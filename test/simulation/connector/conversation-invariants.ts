import {
  conditionTypes,
  type Conversation,
  type IntegrationEvent,
  labels,
  type Prompt,
  type Session,
} from "../../../src/api/v1alpha1/index.ts";
import { mostTries } from "../../../src/connector/next-try.ts";
import { findCondition } from "../../../src/domain/conditions.ts";
import { stableUuid } from "../../../src/domain/integrations/names.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import type { Change, Store } from "../api-server/store.ts";
import type { SimulatedSlack } from "./slack.ts";
import type { AskedInSlack, SlackPeople } from "./slack-people.ts";

/** What must be so of requests in Slack: a thread has one session, and a request one prompt and one answer. */
export class ConversationInvariants {
  readonly #store: Store;
  readonly #slack: SimulatedSlack;
  readonly #people: SlackPeople;
  /** Events that were stored, by the time of their message. */
  readonly #events = new Map<string, IntegrationEvent>();
  /** Sessions and prompts that were ever made, by the UID of their conversation. */
  readonly #sessions = new Map<string, number>();
  readonly #prompts = new Map<string, number>();
  /** How many requests were stored of each subject, and the subject of each conversation by its UID. */
  readonly #requests = new Map<string, number>();
  readonly #subjects = new Map<string, string>();
  /** Posts that failed so often that they are not tried again, by id. */
  readonly #givenUp = new Set<string>();

  constructor(store: Store, slack: SimulatedSlack, people: SlackPeople) {
    this.#store = store;
    this.#slack = slack;
    this.#people = people;
  }

  /** @throws Error at what must never be */
  changed({ plural, before, after }: Change): void {
    if (plural === "integrationevents" && after) this.#noteEvent(after as IntegrationEvent, before === undefined);
    if (plural === "conversations" && after) this.#noteGivenUp(after as Conversation);
    if (!after || before) return;
    if (plural === "conversations") this.#noteConversation(after as Conversation);
    if (plural === "sessions") this.#noteSession(after as Session);
    if (plural === "prompts") this.#notePrompt(after as Prompt);
  }

  /** @throws Error where a message is there twice */
  always(): void {
    const [part] = this.#slack.doubled;
    if (part !== undefined) throw new Error(`Slack shows ${part} twice`);
  }

  /** @throws Error where a request that was taken has not its one prompt and its one answer */
  atRest(): void {
    for (const asked of this.#people.asked) if (asked.isTaken) this.#checkAnswered(asked);
    const [refused] = this.#slack.refused;
    if (refused !== undefined) throw new Error(`the connector called Slack wrongly: ${refused}`);
  }

  /** What is not done yet. */
  *leftovers(): Generator<KubeObject> {
    yield* (this.#store.list("integrationevents") as IntegrationEvent[]).filter(({ status }) => !status?.settledTime);
    yield* (this.#store.list("conversations") as Conversation[]).filter(({ status }) =>
      status?.posts?.some(({ progress }) => progress === "Pending" || progress === "Waiting"),
    );
  }

  #noteEvent(event: IntegrationEvent, isNew: boolean): void {
    const { ts = "", threadTS = "", channelID = "" } = event.spec.slack ?? {};
    if (isNew && this.#events.has(ts)) throw new Error(`the request ${ts} is stored twice`);
    this.#events.set(ts, event);
    if (isNew) count(this.#requests, `thread/${channelID}/${threadTS}`);
  }

  #noteGivenUp({ status }: Conversation): void {
    for (const { id, progress, tries } of status?.posts ?? []) {
      if (progress === "GivenUp" && tries === mostTries) this.#givenUp.add(id);
    }
  }

  #noteConversation({ metadata: { uid = "" }, spec: { subject } }: Conversation): void {
    if ([...this.#subjects.values()].includes(subject)) throw new Error(`${subject} has two conversations`);
    this.#subjects.set(uid, subject);
  }

  #noteSession({ metadata }: Session): void {
    const conversation = metadata.labels?.[labels.conversationUid];
    if (conversation === undefined || count(this.#sessions, conversation) === 1) return;
    throw new Error(`${this.#subjects.get(conversation) ?? "a conversation that is not there"} has two sessions`);
  }

  #notePrompt({ metadata }: Prompt): void {
    const conversation = metadata.labels?.[labels.conversationUid];
    if (conversation === undefined) return;
    const subject = this.#subjects.get(conversation) ?? "";
    const [prompts, requests] = [count(this.#prompts, conversation), this.#requests.get(subject) ?? 0];
    if (prompts > requests) throw new Error(`${prompts} prompts are of ${subject}, of which were ${requests} requests`);
  }

  #checkAnswered({ ts }: AskedInSlack): void {
    const { metadata, status } = this.#events.get(ts) ?? {};
    if (!metadata) throw new Error(`the request ${ts} was taken and is not stored`);
    const verdict = findCondition(status?.conditions, conditionTypes.succeeded);
    if (verdict?.status !== "True")
      throw new Error(`the request ${ts} was taken and led to ${verdict?.reason ?? "nothing"}`);
    const prompt = this.#store.find("prompts", `${metadata.namespace ?? ""}/${status?.promptName ?? ""}`);
    if (!prompt) throw new Error(`the request ${ts} has no prompt`);
    const answer = stableUuid("Answer", metadata.uid ?? "");
    const answers = this.#slack.countOf(answer, 0);
    if (answers !== 1 && !this.#givenUp.has(answer)) throw new Error(`the request ${ts} has ${answers} answers`);
  }
}

function count(counts: Map<string, number>, key: string): number {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
}

import type { SeededRandom } from "../seeded-random.ts";
import { type Between, type Caller, reach } from "../reach.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { slackPlaces } from "./slack-places.ts";

interface Message {
  ts: string;
  thread_ts?: string | undefined;
  user?: string;
  bot_id?: string;
  text: string;
  metadata?: { event_type: string; event_payload: { id: string; part: number } } | undefined;
}

interface Answer {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** Milliseconds between two messages that Slack takes in a channel. */
const pauseMs = 1_000;
/** How much more often than an API server Slack carries a call out and drops its answer, or wants fewer calls. */
const moreFaults = 5;

const throttled: Answer = { status: 429, body: {}, headers: { "retry-after": "1" } };

/** Slack's Web API, as far as the connector asks it about requests in its one channel. It knows no repeated call. */
export class SimulatedSlack {
  readonly #surroundings: Between & { clock: VirtualClock; random: SeededRandom };
  readonly #messages: Message[] = [];
  readonly #reactions = new Set<string>();
  #postedMs = -Infinity;
  /** Parts of posts that more than one message shows. */
  readonly doubled: string[] = [];
  /** Calls that Slack refused though no fault made it do so. */
  readonly refused: string[] = [];

  constructor(surroundings: Between & { clock: VirtualClock; random: SeededRandom }) {
    this.#surroundings = surroundings;
  }

  /** A person's message, in a thread or the first of one; gives its time. */
  say(text: string, user: string, thread: string | undefined): string {
    const ts = this.#nextTime();
    this.#messages.push({ ts, user, text, thread_ts: thread });
    return ts;
  }

  /** How many messages show this part of a post. */
  countOf(id: string, part: number): number {
    const isIt = ({ metadata }: Message): boolean =>
      metadata?.event_payload.id === id && metadata.event_payload.part === part;
    return this.#messages.filter(isIt).length;
  }

  /** What one process sends its calls with. */
  fetchOf(caller: Caller): typeof fetch {
    const service = { name: "Slack", isAway: () => false };
    return async (input, init) => {
      // As Slack's library calls it: with an address and a form as texts.
      const { pathname } = new URL(input);
      const method = pathname.split("/").at(-1) ?? "";
      const token = new Headers(init?.headers).get("authorization");
      const form = new URLSearchParams(init?.body as string);
      const { answer, isDropped } = await reach(this.#surroundings, caller, service, () =>
        this.#call(method, token, form),
      );
      if (isDropped) throw new Error("the connection broke before the answer");
      return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers ?? {} });
    };
  }

  #call(method: string, token: string | null, form: URLSearchParams): { answer: Answer; isDropped: boolean } {
    const { random, faults } = this.#surroundings;
    const rate = faults.rates.request * moreFaults;
    if (random.happens(rate)) return { answer: throttled, isDropped: false };
    const answer = this.#answer(method, token, form);
    return { answer, isDropped: random.happens(rate) };
  }

  #answer(method: string, token: string | null, form: URLSearchParams): Answer {
    if (token !== `Bearer ${slackPlaces.botToken}`) return this.#refuse(method, "invalid_auth");
    if (method === "chat.postMessage") return this.#post(form);
    const found = this.#messages.find(({ ts }) => ts === (form.get("timestamp") ?? form.get("ts")));
    switch (method) {
      case "users.info":
        return taken({ user: { id: form.get("user"), profile: { display_name: "Ann" } } });
      case "conversations.info":
        return taken({ channel: { id: slackPlaces.channel, name: "ops", purpose: { value: "" } } });
      case "conversations.replies":
        return found ? taken({ messages: this.#replies(form) }) : this.#refuse(method, "thread_not_found");
      case "chat.update":
        if (found) found.text = form.get("text") ?? "";
        return found ? taken({ ts: found.ts }) : this.#refuse(method, "message_not_found");
      case "reactions.add":
      case "reactions.remove":
        return found ? this.#react(method, found.ts) : this.#refuse(method, "message_not_found");
      default:
        return this.#refuse(method, "unknown_method");
    }
  }

  #post(form: URLSearchParams): Answer {
    const nowMs = this.#surroundings.clock.monotonicMs();
    if (nowMs - this.#postedMs < pauseMs) return throttled;
    this.#postedMs = nowMs;
    const metadata = JSON.parse(form.get("metadata") ?? "null") as Message["metadata"] | null;
    const [text, thread_ts] = [form.get("text") ?? "", form.get("thread_ts") ?? undefined];
    const message = { ts: this.#nextTime(), bot_id: "B0BOT", text, thread_ts, ...(metadata && { metadata }) };
    if (metadata && this.countOf(metadata.event_payload.id, metadata.event_payload.part) > 0)
      this.doubled.push(JSON.stringify(metadata.event_payload));
    this.#messages.push(message);
    return taken({ ts: message.ts });
  }

  #replies(form: URLSearchParams): object[] {
    const [root, oldest, latest] = [
      form.get("ts"),
      Number(form.get("oldest") ?? 0),
      Number(form.get("latest") ?? Infinity),
    ];
    const thread = this.#messages.filter(({ ts, thread_ts: of }) => {
      return ts === root || (of === root && Number(ts) > oldest && Number(ts) < latest);
    });
    if (form.get("include_all_metadata") === "true") return thread;
    return thread.map(({ metadata: _, ...rest }) => rest);
  }

  /** What is there already is refused, and so is what is gone. */
  #react(method: string, ts: string): Answer {
    const isAdded = method === "reactions.add";
    if (this.#reactions.has(ts) === isAdded) return refusal(isAdded ? "already_reacted" : "no_reaction");
    if (isAdded) this.#reactions.add(ts);
    else this.#reactions.delete(ts);
    return taken({});
  }

  #refuse(method: string, error: string): Answer {
    this.refused.push(`${method}: ${error}`);
    return refusal(error);
  }

  /** Seconds with six digits that no other message has. */
  #nextTime(): string {
    const seconds = Math.floor(this.#surroundings.clock.now().getTime() / 1_000);
    return `${seconds}.${String(this.#messages.length + 1).padStart(6, "0")}`;
  }
}

function taken(body: object): Answer {
  return { status: 200, body: { ok: true, ...body } };
}

function refusal(error: string): Answer {
  return { status: 200, body: { ok: false, error } };
}

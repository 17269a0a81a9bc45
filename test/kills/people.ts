import { setTimeout as delay } from "node:timers/promises";

import { Agent, request } from "undici";

import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import { openStream } from "../support/event-stream.ts";

export interface PeopleOptions {
  /** `https://localhost:PORT` */
  url: string;
  ca: string;
  token: string;
  namespace: string;
}

/** How long an answer is waited for before the request is sent again, in milliseconds. */
const answerMs = 20_000;
const againMs = 200;

/** A person at the gateway's API who asks again until there is an answer. */
export class People {
  readonly #options: PeopleOptions;
  readonly #agent: Agent;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#agent = new Agent({ connect: { ca: options.ca } });
  }

  /** Resolves when the prompt was taken; each try is the same request. */
  async ask(session: string, text: string): Promise<void> {
    const { url, token, namespace } = this.#options;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ text, clientRequestId: text });
    for (;;) {
      const signal = AbortSignal.timeout(answerMs);
      const to = `${url}/sessions/${namespace}.${session}/prompts`;
      const answer = await request(to, { dispatcher: this.#agent, method: "POST", headers, body, signal })
        .then(async ({ statusCode, body: said }) => ({ statusCode, said: await said.text() }))
        .catch(() => undefined);
      if (answer?.statusCode === 201 || answer?.statusCode === 202) return;
      // A gateway that is new may not know the session yet; what it says of rights or of the request stays.
      const isFinal = answer !== undefined && answer.statusCode < 500 && answer.statusCode !== 404;
      if (isFinal) throw new Error(`a prompt was answered ${answer.statusCode} ${answer.said}`);
      await delay(againMs);
    }
  }

  /** All events of a session that are stored. */
  async events(session: string): Promise<SessionEvent[]> {
    const { url, token, namespace } = this.#options;
    const to = `${url}/sessions/${namespace}.${session}/events?follow=false`;
    const stream = await openStream(this.#agent, to, { token });
    await stream.ended;
    return stream.events.map(({ event }) => event);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

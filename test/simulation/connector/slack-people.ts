import { createHmac } from "node:crypto";

import { labels, Session } from "../../../src/api/v1alpha1/index.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { keyIn } from "../api-server/store.ts";
import type { Cluster } from "../cluster.ts";
import { limits, type SenderAnswer, type SimulatedIngress } from "../processes.ts";
import type { SignedRequest } from "./event-intake.ts";
import type { SimulatedSlack } from "./slack.ts";
import { slackPlaces } from "./slack-places.ts";

/** What a person asked in Slack. */
export interface AskedInSlack {
  ts: string;
  thread: string;
  body: Buffer;
  /** Whether an ingress has said that it is stored. */
  isTaken: boolean;
  isDone: boolean;
}

/** People who mention the app in a channel, and Slack, which delivers an event until it is answered with success and some twice. */
export class SlackPeople {
  readonly asked: AskedInSlack[] = [];
  readonly #cluster: Cluster;
  readonly #slack: SimulatedSlack;
  readonly #ingresses: () => readonly SimulatedIngress[];

  constructor(cluster: Cluster, slack: SimulatedSlack, ingresses: () => readonly SimulatedIngress[]) {
    this.#cluster = cluster;
    this.#slack = slack;
    this.#ingresses = ingresses;
    cluster.store.onChangeOf("sessions", ({ before, after }) => {
      if (after && !before && after.metadata.labels?.[labels.conversationUid] !== undefined) this.#shorten(after);
    });
  }

  /** Someone asks something, in a new thread or in an old one; or Slack delivers something once more. */
  act(): void {
    const { random } = this.#cluster;
    if (this.asked.length > 0 && random.happens(0.3)) this.#deliver(random.pick(this.asked), false);
    else {
      const asked = this.#ask();
      this.asked.push(asked);
      this.#deliver(asked, true);
    }
  }

  /** What is not answered with success is not delivered any more. */
  finish(): void {
    for (const asked of this.asked) asked.isDone = true;
  }

  /** Someone sets how long the sandbox of a new session stays up, as the usual ten minutes would make the end of a history long. */
  #shorten({ metadata: { namespace, name = "" } }: KubeObject): void {
    const { network, store } = this.#cluster;
    const key = keyIn(namespace, name);
    network.send(network.open(), () => {
      if (!store.find(Session.plural, key)) return;
      store.update(Session.plural, key, undefined, (session) => {
        const { spec, metadata } = session as Session;
        const shortened = { ...spec, idleTimeoutSeconds: limits.idleSeconds };
        return { ...session, spec: shortened, metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 } };
      });
    });
  }

  #ask(): AskedInSlack {
    const { random } = this.#cluster;
    const { channel, person: user, team, bot } = slackPlaces;
    const isNew = this.asked.length === 0 || random.happens(0.5);
    const thread = isNew ? undefined : random.pick(this.asked).thread;
    const text = `<@${bot}> request ${this.asked.length}`;
    const ts = this.#slack.say(text, user, thread);
    const eventId = `Ev${this.asked.length}`;
    const event = {
      type: "app_mention",
      channel,
      user,
      text,
      ts,
      team,
      ...(thread !== undefined && { thread_ts: thread }),
    };
    const authorizations = [{ team_id: team, user_id: bot, is_bot: true }];
    const sent = { type: "event_callback", team_id: team, event_id: eventId, authorizations, event };
    return { ts, thread: thread ?? ts, body: Buffer.from(JSON.stringify(sent)), isTaken: false, isDone: false };
  }

  #deliver(asked: AskedInSlack, repeats: boolean): void {
    const { network, clock, random } = this.#cluster;
    const again = (): void => {
      if (repeats && !asked.isDone) clock.setTimeout(() => this.#deliver(asked, true), 1_000 + random.below(10_000));
    };
    const ingresses = this.#ingresses();
    if (ingresses.length === 0) {
      again();
      return;
    }
    const ingress = random.pick(ingresses);
    network.send(network.open(), () =>
      ingress.deliverEvent(this.#signed(asked.body), (answer) => {
        if (isTaken(answer)) asked.isTaken = asked.isDone = true;
        else again();
      }),
    );
  }

  #signed(body: Buffer): SignedRequest {
    const time = String(Math.floor(this.#cluster.clock.now().getTime() / 1_000));
    const hmac = createHmac("sha256", slackPlaces.signingSecret).update(`v0:${time}:`).update(body).digest("hex");
    const signature = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${hmac}` };
    return { headers: { "content-type": "application/json", ...signature }, body };
  }
}

function isTaken(answer: SenderAnswer): boolean {
  return answer !== undefined && "verdict" in answer;
}

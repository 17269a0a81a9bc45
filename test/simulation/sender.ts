import type { Cluster } from "./cluster.ts";
import type { SenderAnswer, SimulatedIngress } from "./processes.ts";

interface Event {
  idempotencyKey: string;
  answers: { sentMs: number; atMs: number; said: SenderAnswer }[];
  isDone: boolean;
}

/** A sender as RFC-abiding ones are: it repeats an event until it is answered with success, with the same key each time. */
export class Sender {
  readonly key = "k".repeat(43);
  readonly events: Event[] = [];
  readonly #cluster: Cluster;
  readonly #ingresses: () => readonly SimulatedIngress[];

  constructor(cluster: Cluster, ingresses: () => readonly SimulatedIngress[]) {
    this.#cluster = cluster;
    this.#ingresses = ingresses;
  }

  /** A new event, or one that was sent before, once more. */
  send(): void {
    const { random } = this.#cluster;
    if (this.events.length > 0 && random.happens(0.3)) this.#try(random.pick(this.events), false);
    else {
      const event = { idempotencyKey: `event-${this.events.length}`, answers: [], isDone: false };
      this.events.push(event);
      this.#try(event, true);
    }
  }

  /** A stranger sends something, once, with a key that is not the Automation's. */
  sendAsStranger(): void {
    const { network, random } = this.#cluster;
    const ingresses = this.#ingresses();
    if (ingresses.length === 0) return;
    const ingress = random.pick(ingresses);
    network.send(network.open(), () => ingress.deliver("fix", "s".repeat(43), {}, () => undefined));
  }

  /** Events that have no answer of success are not repeated any more. */
  finish(): void {
    for (const event of this.events) event.isDone = true;
  }

  #try(event: Event, repeats: boolean): void {
    const { network, clock, random } = this.#cluster;
    const ingresses = this.#ingresses();
    const again = (): void => {
      if (repeats && !event.isDone) clock.setTimeout(() => this.#try(event, true), 1_000 + random.below(10_000));
    };
    if (ingresses.length === 0) {
      again();
      return;
    }
    const ingress = random.pick(ingresses);
    const sentMs = clock.monotonicMs();
    network.send(network.open(), () => {
      ingress.deliver("fix", this.key, { idempotencyKey: event.idempotencyKey }, (answer) => {
        event.answers.push({ sentMs, atMs: clock.monotonicMs(), said: answer });
        if (answer && "verdict" in answer) event.isDone = true;
        else again();
      });
    });
  }
}

import type { SeededRandom } from "./seeded-random.ts";

/** What happens to one message on its way. */
type Delivery = () => void;

/** One way between two parts of a simulation, on which messages arrive in their order. */
export interface Channel {
  readonly underWay: Delivery[];
}

/**
 * Everything that is under way between the parts of a simulation. Messages of one channel arrive in their order; which
 * channel is next is drawn. Nothing arrives by itself.
 */
export class Network {
  readonly #random: SeededRandom;
  readonly #busy: Channel[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Number of channels on which something is under way. */
  get busy(): number {
    return this.#busy.length;
  }

  /** A channel that nothing else uses. */
  open(): Channel {
    return { underWay: [] };
  }

  send(channel: Channel, delivery: Delivery): void {
    channel.underWay.push(delivery);
    if (channel.underWay.length === 1) this.#busy.push(channel);
  }

  /** What is under way on a channel is lost. */
  cut(channel: Channel): void {
    if (channel.underWay.length === 0) return;
    channel.underWay.length = 0;
    this.#busy.splice(this.#busy.indexOf(channel), 1);
  }

  /** Lets the next message of a drawn channel arrive, if any is under way. */
  deliver(): void {
    if (this.#busy.length === 0) return;
    const channel = this.#random.pick(this.#busy);
    const delivery = channel.underWay.shift();
    if (channel.underWay.length === 0) this.#busy.splice(this.#busy.indexOf(channel), 1);
    delivery?.();
  }
}

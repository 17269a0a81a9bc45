import type { Clock } from "../lib/clock.ts";
import { FairShares } from "../lib/fair-shares.ts";
import { Slowdown } from "../lib/slowdown.ts";

/** Sign-ins under way, of which one address has half: the gateway reviews 64 tokens of this process at once, also those of people who have signed in. */
const mostSignIns = 32;

/** Bounds what strangers have the gateway and the provider look at: sign-ins at once, and by address those that failed. */
export class SignInGate {
  readonly #shares = new FairShares({ places: mostSignIns });
  readonly #slowdown: Slowdown;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#slowdown = new Slowdown(clock);
  }

  /** The answer of a sign-in, or its error, which is a failure too; undefined where the address may try none now. */
  async pass<T>(address: string, signIn: () => Promise<T>, hasFailed: (answer: T) => boolean): Promise<T | undefined> {
    const free = this.#slowdown.isSlowed(address) ? undefined : this.#shares.take(address);
    if (!free) return undefined;
    let isFailure = true;
    try {
      const answer = await signIn();
      isFailure = hasFailed(answer);
      return answer;
    } finally {
      free();
      if (isFailure) this.#slowdown.failed(address);
    }
  }
}

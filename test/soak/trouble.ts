import type { Break, Fault, FaultProxy, SeenRequest } from "../support/fault-proxy.ts";
import { oneOf, type Random, wholeNumber } from "../kills/random.ts";

/** How often each thing goes wrong, as probabilities. */
const rates = { request: 0.03, watch: 0.1 };
/** All watches of a process break about so often, in milliseconds. */
const breakEveryMs = { least: 1_000, most: 8_000 };

const breaks: readonly Break[] = ["reset", "halfClose", "silence", "end", "expired"];

/** What goes wrong between one process and the API server, drawn from a seed; counts it by kind. */
export class Trouble {
  readonly counts = new Map<string, number>();
  readonly #random: Random;
  readonly #proxy: FaultProxy;
  #timer: NodeJS.Timeout | undefined;

  constructor(proxy: FaultProxy, random: Random) {
    this.#proxy = proxy;
    this.#random = random;
  }

  begin(): void {
    this.#proxy.decide((request) => this.#draw(request));
    this.#breakSome();
  }

  /** Everything goes well from now on, and what was silent is found broken. */
  end(): void {
    clearTimeout(this.#timer);
    this.#proxy.decide(undefined);
    this.#proxy.breakWatches("reset");
  }

  #breakSome(): void {
    const ms = wholeNumber(this.#random, breakEveryMs.least, breakEveryMs.most);
    this.#timer = setTimeout(() => {
      const how = oneOf(this.#random, breaks);
      const count = this.#proxy.breakWatches(how);
      for (let left = count; left > 0; left -= 1) this.#note(`watch: ${how}`);
      this.#breakSome();
    }, ms);
  }

  #draw(request: SeenRequest): Fault | undefined {
    const fault = request.isWatch ? this.#ofWatch() : this.#ofRequest(request);
    if (fault) this.#note("how" in fault ? `watch: ${fault.how}` : describe(fault));
    return fault;
  }

  #ofWatch(): Fault | undefined {
    if (this.#random() >= rates.watch) return undefined;
    const afterBytes = wholeNumber(this.#random, 1, 4_000);
    return oneOf<Fault>(this.#random, [
      ...breaks.map((how) => ({ kind: "break", how, afterBytes }) as const),
      { kind: "answer", status: 410, reason: "Expired" },
      { kind: "refuse" },
    ]);
  }

  #ofRequest({ isWrite }: SeenRequest): Fault | undefined {
    if (this.#random() >= rates.request) return undefined;
    return oneOf<Fault>(this.#random, [
      { kind: "refuse" },
      { kind: "lose" },
      { kind: "delay", ms: wholeNumber(this.#random, 100, 3_000) },
      { kind: "answer", status: 429, reason: "TooManyRequests", retryAfterSeconds: 1 },
      { kind: "answer", status: 500 },
      { kind: "answer", status: 503, reason: "ServiceUnavailable" },
      isWrite ? { kind: "lose" } : { kind: "answer", status: 410, reason: "Expired" },
    ]);
  }

  #note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

function describe(fault: Fault): string {
  return fault.kind === "answer" ? `answer: ${fault.status}` : fault.kind;
}

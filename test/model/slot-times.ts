const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Slots come every 6 hours: no step passes two of them while there is a controller. */
export class Slots {
  static readonly everyMs = 6 * hourMs;
  readonly #firstMs: number;

  /** The first slot comes `minutes` after the start of a sequence, at whatever time of day that is played. */
  constructor(startMs: number, minutes: number) {
    this.#firstMs = Math.ceil(startMs / minuteMs + minutes) * minuteMs;
  }

  get cron(): string {
    const first = new Date(this.#firstMs);
    const hours = [0, 6, 12, 18].map((hour) => (first.getUTCHours() % 6) + hour);
    return `${first.getUTCMinutes()} ${hours.join(",")} * * *`;
  }

  /** The first slot after an instant. */
  after(ms: number): number {
    const passed = Math.floor((ms - this.#firstMs) / Slots.everyMs) + 1;
    return this.#firstMs + passed * Slots.everyMs;
  }
}

/** A slot as Kubernetes writes instants. */
export function slotText(slotMs: number): string {
  return `${new Date(slotMs).toISOString().slice(0, 19)}Z`;
}

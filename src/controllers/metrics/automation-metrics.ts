import { Gauge, type Registry } from "prom-client";

/** Defines the gauge of paused automations; `paused` gives their number by reason and is read at each scrape. */
export function defineAutomationMetrics(registry: Registry, paused: () => ReadonlyMap<string, number>): void {
  new Gauge({
    name: "runwright_automations_paused",
    help: "Automations that start nothing, by reason: Suspended or TooManyFailures",
    labelNames: ["reason"],
    registers: [registry],
    collect() {
      for (const [reason, count] of paused()) this.set({ reason }, count);
    },
  });
}

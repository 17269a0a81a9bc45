import { Gauge, type Registry } from "prom-client";

/** Defines the gauge on the registry; `behindMs` is read at each scrape. */
export function defineArchiveMetrics(registry: Registry, behindMs: () => number | undefined): void {
  new Gauge({
    name: "runwright_archive_behind_seconds",
    help: "Seconds since everything was in the archive, on the replica that writes it; nothing newer is pruned",
    registers: [registry],
    collect() {
      const ms = behindMs();
      if (ms === undefined) this.remove();
      else this.set(ms / 1_000);
    },
  });
}

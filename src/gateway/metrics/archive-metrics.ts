import { Counter, Gauge, type Registry } from "prom-client";

/** Defines the metrics on the registry; `behindMs` is read at each scrape. Gives what counts a row that the database refuses. */
export function defineArchiveMetrics<Table extends string>(
  registry: Registry,
  { behindMs, tables }: { behindMs: () => number | undefined; tables: readonly Table[] },
): (table: Table) => void {
  const refused = new Counter({
    name: "runwright_archive_rows_refused_total",
    help: `Rows that the database refused and that are not in the archive, by table: ${tables.join(", ")}`,
    labelNames: ["table"],
    registers: [registry],
  });
  for (const table of tables) refused.inc({ table }, 0);
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
  return (table) => refused.inc({ table });
}

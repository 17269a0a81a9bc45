import { Counter, Gauge, type Registry } from "prom-client";

/** What the archive counts. */
export interface ArchiveCounts<Table extends string, Budget extends string> {
  /** A row that the database refuses. */
  refused: (table: Table) => void;
  /** Rows that were deleted before their time. */
  trimmed: (of: { budget: Budget; rows: number }) => void;
}

/** Defines the metrics on the registry; `behindMs` and `size`, in bytes, are read at each scrape. */
export function defineArchiveMetrics<Table extends string, Budget extends string>(
  registry: Registry,
  {
    behindMs,
    size,
    tables,
    budgets,
  }: {
    behindMs: () => number | undefined;
    size: () => { bytes: number; bound: number } | undefined;
    tables: readonly Table[];
    budgets: readonly Budget[];
  },
): ArchiveCounts<Table, Budget> {
  const refused = new Counter({
    name: "runwright_archive_rows_refused_total",
    help: `Rows that the database refused and that are not in the archive, by table: ${tables.join(", ")}`,
    labelNames: ["table"],
    registers: [registry],
  });
  for (const table of tables) refused.inc({ table }, 0);
  const trimmed = new Counter({
    name: "runwright_archive_rows_trimmed_total",
    help: `Rows that were deleted before archive.retentionDays, by the budget that was exceeded: ${budgets.join(", ")}`,
    labelNames: ["budget"],
    registers: [registry],
  });
  for (const budget of budgets) trimmed.inc({ budget }, 0);
  defineSize(registry, size);
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
  return { refused: (table) => refused.inc({ table }), trimmed: ({ budget, rows }) => trimmed.inc({ budget }, rows) };
}

function defineSize(registry: Registry, size: () => { bytes: number; bound: number } | undefined): void {
  const registers = [registry];
  new Gauge({
    name: "runwright_archive_bytes",
    help: "Bytes of the archive's rows, as they count against budgets, on the replica that writes it",
    registers,
    collect() {
      const now = size();
      if (now) this.set(now.bytes);
      else this.remove();
    },
  });
  new Gauge({
    name: "runwright_archive_budget_bytes",
    help: "Bytes that the archive's rows may have, on the replica that writes it; absent without a bound",
    registers,
    collect() {
      const now = size();
      if (now && Number.isFinite(now.bound)) this.set(now.bound);
      else this.remove();
    },
  });
}

import type { DefinedMetric } from "./defined-metrics.ts";
import { pageHeader, table } from "./reference-page.ts";

/** The page of all metrics. */
export function metricsPage(metrics: readonly DefinedMetric[]): string {
  const rows = metrics.map(({ name, type, labels, processes, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(", "),
    processes.join(", "),
    help,
  ]);
  return `${pageHeader}
# Metrics

Each process serves these at \`/metrics\` on port 9090, beside Node's own (\`process_…\`, \`nodejs_…\`). Names of objects are
never labels, so the number of series does not grow with what the cluster holds. Which of them are worth an alert is in
[Operations](../operate/operations.md); \`manifests/dashboards/\` shows them.

${table(["Metric", "Type", "Labels", "Processes", "What it counts"], rows)}`;
}

import type { Dashboard } from "./dashboards.ts";

const datasource = { type: "prometheus", uid: "${datasource}" };
const columns = 3;
const width = 24 / columns;
const height = 8;

/** A dashboard as Grafana imports it. */
export function grafanaDashboard({ uid, title, panels }: Dashboard): object {
  return {
    uid,
    title,
    tags: ["runwright"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }] },
    panels: panels.map(({ title, unit, lines }, index) => ({
      id: index + 1,
      type: "timeseries",
      title,
      datasource,
      gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: lines.map(({ expr, legend }, line) => ({
        refId: String.fromCharCode(65 + line),
        datasource,
        expr,
        legendFormat: legend,
      })),
    })),
  };
}

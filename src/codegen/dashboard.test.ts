import { describe, expect, it } from "vitest";

import { panels } from "./dashboard.ts";
import { definedMetrics } from "./defined-metrics.ts";

const metrics = new Map(definedMetrics().map((metric) => [metric.name, metric]));

describe.each(panels)("the panel $title", ({ lines }) => {
  it.each(lines)("is about metrics and labels that there are: $expr", ({ expr, legend }) => {
    const [name = ""] = /runwright_[a-z_]+/.exec(expr) ?? [];
    const metric = metrics.get(name) ?? metrics.get(name.replace(/_bucket$/, ""));
    expect(metric, name).toBeDefined();
    const known = new Set([...(metric?.labels ?? []), ...(metric?.type === "histogram" ? ["le"] : [])]);
    const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [];
    const selected = [...expr.matchAll(/[{,]\s*([a-z_]+)\s*(?:=|!)/g)].map(([, label = ""]) => label);
    const shown = [...legend.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, label = ""]) => label);
    expect([...grouped, ...selected, ...shown].filter((label) => !known.has(label))).toEqual([]);
    // A label that a line is named by must be one that it is grouped by.
    expect(shown.filter((label) => !grouped.includes(label))).toEqual([]);
  });
});

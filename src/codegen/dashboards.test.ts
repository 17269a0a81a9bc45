import { describe, expect, it } from "vitest";

import { dashboards } from "./dashboards.ts";
import { definedMetrics } from "./defined-metrics.ts";

const metrics = new Map(definedMetrics().map((metric) => [metric.name, metric]));

describe.each(dashboards.flatMap(({ panels }) => panels))("the panel $title", ({ lines }) => {
  it.each(lines)("is about metrics and labels that there are: $expr", ({ expr, legend }) => {
    const named = [...expr.matchAll(/runwright_[a-z_]+/g)].map(([name]) => ({
      name,
      metric: metrics.get(name) ?? metrics.get(name.replace(/_bucket$/, "")),
    }));
    expect(named).not.toEqual([]);
    expect(named.filter(({ metric }) => !metric)).toEqual([]);
    const known = new Set(["pod", ...named.flatMap(({ metric }) => metric?.labels ?? [])]);
    if (named.some(({ metric }) => metric?.type === "histogram")) known.add("le");
    const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [];
    const selected = [...expr.matchAll(/[{,]\s*([a-z_]+)\s*(?:=|!)/g)].map(([, label = ""]) => label);
    const shown = [...legend.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, label = ""]) => label);
    expect([...grouped, ...selected, ...shown].filter((label) => !known.has(label))).toEqual([]);
    // A label that a line is named by must be one that it is grouped by.
    expect(shown.filter((label) => !grouped.includes(label))).toEqual([]);
  });
});

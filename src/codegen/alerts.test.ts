import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { definedMetrics } from "./defined-metrics.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { spec } = parse(read("manifests/alerts.yaml")) as {
  spec: { groups: { rules: { alert: string; expr: string }[] }[] };
};

const known = definedMetrics().map(({ name }) => name);

describe.each(spec.groups.flatMap(({ rules }) => rules))("the alert $alert", ({ alert, expr }) => {
  it("is about metrics that there are", () => {
    const named = expr.match(/runwright_[a-z_]+/g) ?? [];
    expect(named).not.toEqual([]);
    for (const name of named) expect(known, name).toContain(name);
  });

  it("has a page of its own, which the list of pages names, and a test", () => {
    expect(read(`docs/operate/alerts/${alert}.md`)).toMatch(new RegExp(`^# ${alert}\n[^]*\n## Look\n[^]*\n## Do\n`));
    expect(read("docs/operate/alerts/README.md")).toContain(`| [${alert}](${alert}.md) | `);
    expect(read("hack/verify/alerts.test.yaml")).toContain(`alertname: ${alert}\n`);
  });
});

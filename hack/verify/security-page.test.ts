import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { definedMetrics } from "../../src/codegen/defined-metrics.ts";
import { groups } from "../../test/attacks/groups/groups.ts";

const root = join(import.meta.dirname, "..", "..");
const page = await readFile(join(root, "docs", "operate", "security.md"), "utf8");
const summary = await readFile(join(root, "docs", "operate", "security-summary.md"), "utf8");
/** Names in backticks below folders that have tests. */
const named = (text: string): string[] =>
  [...text.matchAll(/`((?:test|src|hack)\/[^`]+)`/g)].map(([, name = ""]) => name);

/** Cells of the rows of a table, below its heading. */
function rowsBelow(heading: string, firstCell: string): string[][] {
  const section = page.slice(page.indexOf(`## ${heading}\n`));
  const table = section.slice(section.indexOf(`| ${firstCell} |`)).split("\n\n", 1)[0] ?? "";
  const lines = table.split("\n").slice(2);
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const threats = rowsBelow("Threats", "who");
const attempts = rowsBelow("Attempts", "who");
const costs = rowsBelow("Costs of others", "who");
const metrics = new Map(definedMetrics().map((metric) => [metric.name, metric.labels]));

describe("docs/operate/security.md", () => {
  it.each([...threats, ...attempts, ...costs])("names a test for %s: %s", (...cells) => {
    expect(named(cells.at(-1) ?? "")).not.toEqual([]);
  });

  it.each([...new Set(named(page + summary))])("%s is there", (name) => {
    expect(existsSync(join(root, `${name}.test.ts`)) || existsSync(join(root, name))).toBe(true);
  });

  it("has a row for each attempt that is tried on a cluster, and says what counts it", () => {
    const tried = groups.flatMap((group) =>
      group.attempts.filter(({ isControl }) => !isControl).map((attempt) => ({ ...group, ...attempt })),
    );
    const wanted = tried.map(({ title, name, counted, file }) => {
      return [title, name, counted === undefined ? "" : `\`${counted}\``, `\`test/attacks/${file}\``].join(" | ");
    });
    const rows = attempts
      .filter((cells) => cells.at(-1)?.startsWith("`test/attacks/"))
      .map((cells) => cells.join(" | "));
    expect({
      missing: wanted.filter((row) => !rows.includes(row)),
      surplus: rows.filter((row) => !wanted.includes(row)),
    }).toEqual({ missing: [], surplus: [] });
  });

  it.each(costs)("says what counts a refusal of %s: %s", (...cells) => {
    const counted = cells.at(-2) ?? "";
    const own = [...counted.matchAll(/`(runwright_[a-z_]+)(?:\{([a-z]+)=)?/g)];
    expect([...own, ...counted.matchAll(/`apiserver_[a-z_]+/g)]).not.toEqual([]);
    for (const [, name = "", label] of own) {
      expect(metrics.get(name), name).toBeDefined();
      if (label !== undefined) expect(metrics.get(name)).toContain(label);
    }
  });

  it("names a test for each sentence's section", () => {
    const sections = page.split(/^## /m).slice(1);
    expect(
      sections.filter((section) => named(section).length === 0).map((section) => section.split("\n", 1)[0]),
    ).toEqual([]);
  });

  it("names a test for each residual risk, or says that there is none", () => {
    const risks = rowsBelow("Residual risks", "risk").map((cells) => cells.at(-1) ?? "");
    expect(risks.filter((cell) => named(cell).length === 0)).toEqual(["not tried", "yours"]);
  });

  it("has at least 40 attempts that are counted", () => {
    expect(attempts.filter((cells) => cells.at(-2) !== "").length).toBeGreaterThanOrEqual(40);
  });
});

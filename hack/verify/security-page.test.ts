import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const page = await readFile(join(root, "docs", "security.md"), "utf8");
const threats = page
  .slice(page.indexOf("## Threats"), page.indexOf("## Roles"))
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| who "))
  .map((line) => {
    const [who = "", attempt = "", , triedIn = ""] = line.split(" | ");
    return {
      threat: `${who.slice(2)}: ${attempt}`,
      tests: [...triedIn.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    };
  });

describe("docs/security.md", () => {
  it.each(threats)("names a test for $threat", ({ tests }) => {
    expect(tests).not.toEqual([]);
  });

  it.each(threats.flatMap(({ tests }) => tests))("%s is there", (name) => {
    expect(existsSync(join(root, `${name}.test.ts`)) || existsSync(join(root, name ?? ""))).toBe(true);
  });
});

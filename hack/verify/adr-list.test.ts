import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "..", "..", "docs", "adr");

it("docs/adr/README.md has one row for each record, by number", () => {
  const records = readdirSync(folder).filter((file) => /^\d{4}-.*\.md$/.test(file));
  const rows = readFileSync(join(folder, "README.md"), "utf8").matchAll(/^\| \[\d{4}\]\(([^)]+)\) \|/gm);

  expect([...rows].map(([, file]) => file)).toEqual(records.sort());
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { isReservedSecretKey, reservedSecretKeys } from "../../src/api/v1alpha1/index.ts";

const root = join(import.meta.dirname, "..", "..");
const page = (name: string): Promise<string> => readFile(join(root, "docs", "use", name), "utf8");

it("docs/use/secrets.md names all reserved keys", async () => {
  const [, paragraph = ""] = /^These keys are reserved(.*?)\n\n/ms.exec(await page("secrets.md")) ?? [];
  const named = [...paragraph.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...reservedSecretKeys, "RUNWRIGHT_", "TUNNEL_"].sort());
});

it("docs/use/sandboxes.md has no variable of the platform that is not reserved", async () => {
  const [, table = ""] = /^## Environment of hooks and agent\n(.*?)\n## /ms.exec(await page("sandboxes.md")) ?? [];
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !isReservedSecretKey(name.replace("<port>", "3000")))).toEqual([]);
});

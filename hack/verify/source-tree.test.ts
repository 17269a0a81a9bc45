import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");

const folders = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => `${join(entry.parentPath, entry.name).slice(join(root, "src").length + 1)}/`)
  .sort();

/** Folders that a page gives a sentence each, as rows of a table that begin with the folder's name. */
function shownFolders(page: string): string[] {
  const rows = readFileSync(join(root, page), "utf8").matchAll(/^\| `src\/([^`]+\/)` \| [A-Z].*\. \|$/gm);
  return [...rows].map(([, folder = ""]) => folder).sort();
}

describe("the pages that show the source tree", () => {
  it("docs/internals/architecture.md has a sentence for every folder and for no other", () => {
    expect(shownFolders("docs/internals/architecture.md")).toEqual(folders);
  });

  it("CONTRIBUTING.md has a sentence for every program and shared folder", () => {
    expect(shownFolders("CONTRIBUTING.md")).toEqual(folders.filter((folder) => folder.split("/").length === 2));
  });
});

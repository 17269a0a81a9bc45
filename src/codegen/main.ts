import { join } from "node:path";
import { generatedFiles, generatedFolders } from "./generated-files.ts";
import { freshenFile, staleFiles } from "./stale-files.ts";

const root = join(import.meta.dirname, "..", "..");

/** Writes all generated files; with `--check` writes nothing and fails when one is out of date. */
async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== "--check");
  if (unknown !== undefined) {
    console.error(`unknown argument ${JSON.stringify(unknown)}; the only one is --check`);
    return 2;
  }
  const files = await generatedFiles(root);
  const stale = await staleFiles(root, files, generatedFolders);
  if (!args.includes("--check")) {
    for (const path of stale) await freshenFile(root, path, files);
    console.error(`${String(files.size)} generated files, ${String(stale.length)} written`);
    return 0;
  }
  for (const path of stale) console.error(`stale: ${path}`);
  if (stale.length > 0) console.error("Generated files are stale; run npm run generate.");
  return stale.length > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));

/** The oldest major version of Node that runs the plugin's script. */
export const oldestNode = 24;

/**
 * The beginning of the plugin's script, before its bundled code in CommonJS: a Node older than {@link oldestNode} ends with
 * one line that says so. It must parse and run there, so it names no module by `node:` and uses no newer syntax.
 */
export const scriptBanner = `#!/usr/bin/env node
import { createRequire as makeRequire } from "module";
import { fileURLToPath as makePath } from "url";
if (Number(process.versions.node.split(".")[0]) < ${oldestNode}) {
  console.error("error: kubectl-runwright needs Node ${oldestNode} or newer, but " + process.execPath + " is Node " + process.versions.node + ": install Node ${oldestNode}, or the plugin's executable, which needs none");
  process.exit(1);
}
const require = makeRequire(import.meta.url);
const __dirname = makePath(new URL(".", import.meta.url));`;

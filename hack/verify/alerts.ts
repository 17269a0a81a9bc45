import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parse, stringify } from "yaml";

import { CommandError, run } from "../lib/command.ts";
import { progressOnStderr } from "../lib/progress.ts";
import { ensurePromtool } from "../toolchain/promtool.ts";

const manifests = join(import.meta.dirname, "..", "..", "manifests");
const tests = join(import.meta.dirname, "alerts.test.yaml");

/** Prometheus' own judgement of the alert rules and of what they say to series; says so on a machine without promtool. */
export async function judgeAlerts(): Promise<string | undefined> {
  const promtool = await ensurePromtool(progressOnStderr("alerts")).catch((error: unknown) => {
    console.error(`the alert rules were not judged: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  if (promtool === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "runwright-alerts-"));
  try {
    const { spec } = parse(await readFile(join(manifests, "alerts.yaml"), "utf8")) as { spec: object };
    await writeFile(join(folder, "rules.yaml"), stringify(spec));
    await copyFile(tests, join(folder, "tests.yaml"));
    await run(promtool, ["check", "rules", "rules.yaml"], { cwd: folder });
    await run(promtool, ["test", "rules", "tests.yaml"], { cwd: folder });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return `Fix manifests/alerts.yaml, or what hack/verify/alerts.test.yaml expects of it:\n${error.message}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { spawn } from "node:child_process";
import { openSync, closeSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { killProcesses, startTimeOf } from "../../lib/processes.ts";
import type { Layout } from "./layout.ts";

/** A started program as its record file says; the start time tells it from a later process with the same id. */
interface ProcessRecord {
  pid: number;
  startTime: string;
}

/** Starts a program that outlives this process, with its output in `log/NAME.log`, and records it. */
export async function startBackground(
  layout: Layout,
  name: string,
  program: string,
  args: readonly string[],
): Promise<void> {
  await mkdir(layout.logs, { recursive: true });
  await mkdir(layout.processes, { recursive: true });
  const log = openSync(join(layout.logs, `${name}.log`), "a");
  const child = spawn(program, args, { detached: true, stdio: ["ignore", log, log], cwd: "/" });
  closeSync(log);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", reject);
  });
  child.unref();
  const record: ProcessRecord = { pid, startTime: startTimeOf(pid) ?? "" };
  await writeFile(join(layout.processes, name), JSON.stringify(record));
}

/** Names of the programs that were started, each with its pid while it still runs. */
export async function readBackground(layout: Layout): Promise<Map<string, number | undefined>> {
  const found = new Map<string, number | undefined>();
  for (const name of await readdir(layout.processes).catch(() => [])) {
    const text = await readFile(join(layout.processes, name), "utf8");
    const record = parseRecord(text);
    const runs = record !== undefined && record.startTime === startTimeOf(record.pid);
    found.set(name, runs ? record.pid : undefined);
  }
  return found;
}

/** Kills a started program and waits until it is gone; one that does not run is gone already. */
export async function killBackground(layout: Layout, name: string): Promise<void> {
  const pid = (await readBackground(layout)).get(name);
  if (pid !== undefined) await killProcesses([pid]);
}

/** The last lines that a started program wrote, for error messages. */
export async function readLogEnd(layout: Layout, name: string): Promise<string> {
  const text = await readFile(join(layout.logs, `${name}.log`), "utf8").catch(() => "");
  return text.split("\n").slice(-15).join("\n");
}

function parseRecord(text: string): ProcessRecord | undefined {
  try {
    return JSON.parse(text) as ProcessRecord;
  } catch {
    return undefined; // cut short by a kill
  }
}

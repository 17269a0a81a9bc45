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
  /** The program and its arguments. */
  command: readonly string[];
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
  const record: ProcessRecord = { pid, startTime: startTimeOf(pid) ?? "", command: [program, ...args] };
  await writeFile(join(layout.processes, name), JSON.stringify(record));
}

/** Names of the programs that were started, each with its pid while it still runs. */
export async function readBackground(layout: Layout): Promise<Map<string, number | undefined>> {
  const found = new Map<string, number | undefined>();
  for (const name of await readdir(layout.processes).catch(() => [])) {
    const record = await readRecord(layout, name);
    const runs = record !== undefined && record.startTime === startTimeOf(record.pid);
    found.set(name, runs ? record.pid : undefined);
  }
  return found;
}

/** Starts a program again that has ended, as it was started. */
export async function restartBackground(layout: Layout, name: string): Promise<void> {
  const [program, ...args] = (await readRecord(layout, name))?.command ?? [];
  if (program === undefined) throw new Error(`${name} was never started`);
  await startBackground(layout, name, program, args);
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

async function readRecord(layout: Layout, name: string): Promise<ProcessRecord | undefined> {
  const text = await readFile(join(layout.processes, name), "utf8").catch(() => "");
  try {
    return JSON.parse(text) as ProcessRecord;
  } catch {
    return undefined; // never written, or cut short by a kill
  }
}

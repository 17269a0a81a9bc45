import { readFile, writeFile } from "node:fs/promises";

/** MiB that a process may take beyond what it takes at rest, whatever is done to it. */
export const mostMib = 128;

/** What a process took at rest and at most, MiB. */
export interface Taken {
  idleMib: number;
  peakMib: number;
}

/** Has the kernel forget how much memory a process had at most. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}

/** Resident memory of a process now, and at most since {@link forgetPeak}; MiB. */
export async function memoryOf(pid: number): Promise<{ nowMib: number; peakMib: number }> {
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  return { nowMib: mibOf(text, "VmRSS"), peakMib: mibOf(text, "VmHWM") };
}

/** The processes that took too much, by name. */
export function tooLarge(taken: Readonly<Record<string, Taken>>): string[] {
  return Object.entries(taken)
    .filter(([, { idleMib, peakMib }]) => peakMib > idleMib + mostMib)
    .map(([name, { idleMib, peakMib }]) => `${name}: ${peakMib} MiB, ${idleMib} at rest`);
}

function mibOf(status: string, field: string): number {
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  if (kib === undefined) throw new Error(`the kernel says nothing of ${field}`);
  return Math.round(Number(kib) / 1_024);
}

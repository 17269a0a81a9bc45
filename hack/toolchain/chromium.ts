import { isOnPath } from "../lib/command.ts";
import type { Progress } from "../lib/progress.ts";
import { ensureSystemPrograms } from "./system-programs.ts";

/** Chromium without what draws its window, which starts in less time. */
const program = "chromium-headless-shell";

/** Gives Debian's browser, installed where it is missing; throws where it cannot be. */
export async function ensureChromium(progress: Progress): Promise<string> {
  await ensureSystemPrograms([{ program, debianPackage: program }], progress);
  return `/usr/bin/${program}`;
}

/** Why there can be no browser here; undefined where there can. */
export async function whyNoChromium(): Promise<string | undefined> {
  if (await isOnPath(program)) return undefined;
  const isInstallable = (await isOnPath("apt-get")) && process.getuid?.() === 0;
  return isInstallable ? undefined : "they need Debian's chromium-headless-shell, which only root can install with apt";
}

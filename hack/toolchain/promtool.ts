import type { Progress } from "../lib/progress.ts";
import { ensureDebianProgram } from "./debian-program.ts";

/** Gives promtool; building it takes half an hour. */
export function ensurePromtool(progress: Progress): Promise<string> {
  return ensureDebianProgram({ program: "promtool", debianPackage: "prometheus", path: "usr/bin/promtool" }, progress);
}

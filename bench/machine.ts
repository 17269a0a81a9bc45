import { cpus, loadavg, totalmem } from "node:os";

import { run } from "../hack/lib/command.ts";
import { kubernetesVersion } from "../hack/cluster/cluster.ts";

/** What a figure belongs to. */
export interface Machine {
  cpus: number;
  cpuModel: string;
  memoryGiB: number;
  node: string;
  go: string;
  kubernetes: string;
}

export async function describeMachine(): Promise<Machine> {
  const [first] = cpus();
  return {
    cpus: cpus().length,
    cpuModel: first?.model ?? "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    go: await goVersion(),
    kubernetes: kubernetesVersion,
  };
}

/** Some measurements need no Go. */
async function goVersion(): Promise<string> {
  const version = await run("go", ["env", "GOVERSION"]).catch(() => "none");
  return version.trim().replace(/^go/, "");
}

/** Load average of the last minute: other work on the machine spoils a figure. */
export function loadNow(): number {
  return Number((loadavg()[0] ?? 0).toFixed(2));
}

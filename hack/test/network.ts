import { provideForEnforcingCluster, whyNoEnforcingCluster } from "../cluster/cluster.ts";
import { ensureImages } from "../images/images.ts";
import { run } from "../lib/command.ts";
import { progressOnStderr } from "../lib/progress.ts";
import { ensureHelm } from "../toolchain/helm.ts";
import { whyNotApart } from "./apart.ts";

/** Why no traffic can be tried here; undefined when it can. */
export async function whyNoNetwork(): Promise<string | undefined> {
  return (await whyNotApart()) ?? (await whyNoBpf()) ?? (await whyNoEnforcingCluster());
}

async function whyNoBpf(): Promise<string | undefined> {
  return run("unshare", ["--mount", "mount", "-t", "bpf", "bpf", "/sys/fs/bpf"]).then(
    () => undefined,
    () => "this machine's root may not mount the kernel's file system for BPF",
  );
}

/** Brings what the tests with traffic need of elsewhere. */
export async function provideForNetwork(): Promise<void> {
  const progress = progressOnStderr("network");
  await provideForEnforcingCluster(progress);
  await ensureHelm(progress);
  await ensureImages(progress);
}

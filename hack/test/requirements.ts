import { ensureControlPlane, whyNoControlPlane } from "../cluster/cluster.ts";
import { isOnPath } from "../lib/command.ts";
import { type Progress, progressOnStderr } from "../lib/progress.ts";
import { ensureChromium, whyNoChromium } from "../toolchain/chromium.ts";
import { whyNoSchemathesis } from "../toolchain/schemathesis.ts";

/** Why tests with programs of others at a control plane cannot run here; undefined when they can. */
export async function whyNoEngines(): Promise<string | undefined> {
  return (await whyNoControlPlane()) ?? (await whyNoSchemathesis());
}

/** Why tests in a browser cannot run here; undefined when they can. */
export async function whyNoWeb(): Promise<string | undefined> {
  return (await whyNoControlPlane()) ?? (await whyNoChromium());
}

/** Brings what tests in a browser need of elsewhere. */
export async function provideForWeb(progress: Progress = progressOnStderr("browser")): Promise<void> {
  await ensureControlPlane(progress);
  await ensureChromium(progress);
}

/** Why tests against a real S3 server cannot run here; undefined when they can. */
export async function whyNoStorage(): Promise<string | undefined> {
  return (await isOnPath("go")) ? undefined : "they need Go on PATH to build an S3 server";
}

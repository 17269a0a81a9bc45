import { canHaveKubernetes } from "../cluster/requirements.ts";
import { isOnPath } from "../lib/command.ts";
import { findEnvtest } from "../toolchain/envtest.ts";
import { whyNoSchemathesis } from "../toolchain/schemathesis.ts";

/** Why tests against a real API server cannot run here; undefined when they can. */
export async function whyNoApiserver(): Promise<string | undefined> {
  if (!(await isOnPath("openssl"))) return "they need openssl on PATH";
  try {
    if ((await findEnvtest()) !== undefined || (await canHaveKubernetes())) return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "they need KUBEBUILDER_ASSETS, an envtest archive, or Go on PATH to build Kubernetes";
}

/** Why tests of the gateway's API against its document cannot run here; undefined when they can. */
export async function whyNoContract(): Promise<string | undefined> {
  return (await whyNoApiserver()) ?? (await whyNoSchemathesis());
}

/** Why tests against a real S3 server cannot run here; undefined when they can. */
export async function whyNoStorage(): Promise<string | undefined> {
  return (await isOnPath("go")) ? undefined : "they need Go on PATH to build an S3 server";
}

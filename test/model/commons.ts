import { readFile } from "node:fs/promises";

import { clientOf } from "../support/kube.ts";
import { grantProcess, newRelease, processClient } from "../support/process-accounts.ts";
import type { ClusterCredentials } from "../../hack/cluster/cluster.ts";
import { Observation } from "./observation.ts";
import type { Commons } from "./world.ts";

/** What the sequences on one control plane share. */
export async function openCommons(
  upstream: ClusterCredentials & { kubeconfig: string },
): Promise<Commons & { close(): Promise<void> }> {
  const tester = clientOf({ file: upstream.kubeconfig });
  const release = await newRelease(tester.client);
  const user = await grantProcess(tester.client, "controller", release);
  const operator = processClient("controller", await readFile(upstream.kubeconfig, "utf8"), user);
  const observation = new Observation(tester.client);
  await observation.start();
  return {
    upstream,
    client: tester.client,
    operatorClient: operator.client,
    observation,
    limitMs: 120_000,
    ingressUser: await grantProcess(tester.client, "ingress", release),
    keysNamespace: release.keysNamespace,
    async close() {
      await observation.stop();
      await operator.close();
      await tester.close();
    },
  };
}

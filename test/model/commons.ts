import { clientOf, newNamespace } from "../support/kube.ts";
import type { ClusterCredentials } from "../../hack/cluster/cluster.ts";
import { Observation } from "./observation.ts";
import type { Commons } from "./world.ts";

/** What the sequences on one control plane share. */
export async function openCommons(
  upstream: ClusterCredentials & { kubeconfig: string },
): Promise<Commons & { close(): Promise<void> }> {
  const tester = clientOf({ file: upstream.kubeconfig });
  const operator = clientOf({ file: upstream.kubeconfig });
  const observation = new Observation(tester.client);
  await observation.start();
  return {
    upstream,
    client: tester.client,
    operatorClient: operator.client,
    observation,
    limitMs: 120_000,
    keysNamespace: await newNamespace(tester.client, "model-keys"),
    async close() {
      await observation.stop();
      await operator.close();
      await tester.close();
    },
  };
}

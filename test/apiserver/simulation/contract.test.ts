import { apiServerContract } from "../../support/api-server-contract.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";

apiServerContract(async () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  const { client } = connection;
  return { client, namespace: await newNamespace(client, "contract"), close: () => connection.close() };
});

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { TestProject } from "vitest/node";

import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { startEquippedControlPlane } from "./control-plane.setup.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the kubeconfig file of the control plane with a garbage collector is asked for; the first question starts it. */
    collectingPlane: string;
  }
}

/** One control plane with a garbage collector for all test files of a project that ask for it; none asks, and there is none. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let plane: Promise<ControlPlane> | undefined;
  const server = createServer((_request, response) => {
    plane ??= startCollectingPlane();
    plane.then(
      ({ kubeconfig }) => response.end(kubeconfig),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  project.provide("collectingPlane", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await (await plane)?.stop();
  };
}

/** Only an account that may delete an object may block its deletion there, as on OpenShift. */
async function startCollectingPlane(): Promise<ControlPlane> {
  const plane = await startEquippedControlPlane({
    policies: "of any release",
    apiserverFlags: ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"],
  });
  await plane.startControllerManager();
  return plane;
}

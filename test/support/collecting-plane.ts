import { afterAll, beforeAll } from "vitest";

import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { startEquippedControlPlane } from "./control-plane.setup.ts";
import { noteOtherWriters } from "./kube.ts";

/** Flag of kube-apiserver: only an account that may delete an object may block its deletion. */
export const enforceOwnerReferences = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement";

/** A control plane of the test file's own with a garbage collector; gives its kubeconfig file once it is up. */
export function collectingPlane(...apiserverFlags: string[]): { readonly kubeconfig: string } {
  let plane: ControlPlane;
  let othersEnded: () => void;
  beforeAll(async () => {
    plane = await startEquippedControlPlane({ apiserverFlags });
    await plane.startControllerManager();
    othersEnded = noteOtherWriters();
  });
  afterAll(async () => {
    await plane.stop();
    othersEnded();
  });
  return {
    get kubeconfig() {
      return plane.kubeconfig;
    },
  };
}

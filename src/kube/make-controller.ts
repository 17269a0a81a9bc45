import type { KubeClient } from "./client.ts";
import { Controller, type ControllerDeps, type ControllerOptions, type Reconciler } from "./controller.ts";

/** Makes a controller whose reconciler writes through the controller's own client, so that it knows its own writes. */
export function makeController(
  deps: ControllerDeps & { client: KubeClient },
  options: Omit<ControllerOptions, "reconciler">,
  makeReconciler: (client: KubeClient) => Reconciler,
): Controller {
  // The reconciler needs the client that the controller makes; the controller calls it once it is started.
  const controller = new Controller(deps, {
    ...options,
    reconciler: {
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
      failed: async (key, error, kind) => reconciler.failed?.(key, error, kind),
    },
  });
  const reconciler = makeReconciler(controller.clientOf(deps.client));
  return controller;
}

import type { KubeClient } from "../kube/client.ts";
import { Controller, type ControllerDeps, type ControllerOptions, type Reconciler } from "../kube/controller.ts";

/** Makes a controller whose reconciler writes through the controller's own client, so that it knows its own writes. */
export function makeController(
  deps: ControllerDeps & { client: KubeClient },
  options: Omit<ControllerOptions, "reconciler">,
  makeReconciler: (client: KubeClient) => Reconciler,
): Controller {
  // The reconciler needs the client that the controller makes, which needs the reconciler.
  const late: { reconciler?: Reconciler } = {};
  const reconciler: Reconciler = {
    reconcile(key, signal) {
      if (!late.reconciler) throw new Error("the reconciler is set before the controller starts");
      return late.reconciler.reconcile(key, signal);
    },
    async failed(key, error, kind) {
      await late.reconciler?.failed?.(key, error, kind);
    },
  };
  const controller = new Controller(deps, { ...options, reconciler });
  late.reconciler = makeReconciler(controller.clientOf(deps.client));
  return controller;
}

import { join } from "node:path";

import { run } from "../lib/command.ts";

/** Kinds of others that the chart or the controller makes, by the Go modules that carry their CRDs. */
const modules = [
  {
    module: "sigs.k8s.io/gateway-api@v1.4.0",
    files: ["config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"],
  },
  {
    module: "github.com/kubernetes-csi/external-snapshotter/client/v8@v8.2.0",
    files: ["config/crd/snapshot.storage.k8s.io_volumesnapshots.yaml"],
  },
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    files: ["podmonitors", "prometheusrules"].map(
      (plural) => `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    ),
  },
  {
    module: "github.com/cert-manager/cert-manager@v1.19.1",
    files: ["deploy/crds/cert-manager.io_certificates.yaml"],
  },
];

/** Paths of the CRDs of HTTPRoute, VolumeSnapshot, PodMonitor, PrometheusRule and Certificate, which Go downloads the first time. */
export async function foreignDefinitions(): Promise<string[]> {
  const found: string[] = [];
  for (const { module, files } of modules) {
    const { Dir } = JSON.parse(await run("go", ["mod", "download", "-json", module])) as { Dir: string };
    found.push(...files.map((file) => join(Dir, file)));
  }
  return found;
}

import { gatewayAuthoritiesDataKey, gatewayAuthoritiesName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { configMaps } from "../../kube/core-resources.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { makeController } from "../../kube/make-controller.ts";
import type { CertificateInformers } from "./controller.ts";

/** How soon the ConfigMap is filled that an upgrade has made anew, in milliseconds. */
const lookMs = 60_000;

export interface PublicationDeps extends ControllerDeps {
  client: KubeClient;
  informers: CertificateInformers;
  release: { name: string; namespace: string; sessionsNamespace: string };
  /** The gateway's authorities, PEM; empty until there are some. */
  authorities: () => string;
}

/** Publishes the gateway's authorities in the ConfigMap that the chart makes, by which the plugin trusts the gateway. */
export function publicationController(deps: PublicationDeps): Controller {
  const { release, informers } = deps;
  const key = { namespace: release.namespace, name: gatewayAuthoritiesName(release.name) };
  const controller = makeController(deps, { name: "gateway-ca", concurrency: 1 }, (client) => ({
    async reconcile(): Promise<Outcome> {
      const wanted = deps.authorities();
      const published = wanted === "" ? undefined : await client.find(configMaps, key);
      if (published && published.data?.[gatewayAuthoritiesDataKey] !== wanted) {
        const { resourceVersion } = published.metadata;
        const data = { [gatewayAuthoritiesDataKey]: wanted };
        await client.patch(configMaps, key, { metadata: { resourceVersion }, data });
      }
      return requeueAfter(lookMs);
    },
  }));
  const always = { keysOf: () => [key] };
  controller.watch(informers.authorities, always);
  controller.watch(informers.serving, always);
  controller.enqueue(key);
  return controller;
}

import { gatewayCaSecretName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { Controller, type ControllerDeps } from "../../kube/controller.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { CertificateReconciler } from "./reconciler.ts";
import { authoritiesIn, bundleOf } from "./secrets.ts";

export interface CertificateInformers {
  authorities: Informer<Secret>;
  serving: Informer<Secret>;
}

/** Caches of the two Secrets, and of nothing else in the sessions namespace. */
export function certificateInformers(deps: InformerDeps, namespace: string): CertificateInformers {
  const only = (name: string): Informer<Secret> =>
    new Informer(deps, secrets, { namespace, fieldSelector: `metadata.name=${name}` });
  return { authorities: only(gatewayCaSecretName), serving: only(gatewayTlsSecretName) };
}

/** What runtimes trust the gateway by, PEM; empty until the first authority was made. */
export function gatewayAuthorities({ authorities }: CertificateInformers, namespace: string): string {
  return bundleOf(authoritiesIn(authorities.get({ namespace, name: gatewayCaSecretName })));
}

export interface CertificateControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: CertificateInformers;
  namespace: string;
  dnsNames: readonly string[];
}

/** The controller of the gateway's certificate. The caller starts informers and controller. */
export function certificateController(deps: CertificateControllerDeps): Controller {
  const { client, clock, namespace, dnsNames, informers } = deps;
  const reconciler = new CertificateReconciler({ client, clock, namespace, dnsNames });
  const controller = new Controller(deps, { name: "certificate", concurrency: 1, reconciler });
  const key = { namespace, name: gatewayTlsSecretName };
  const always = { keysOf: () => [key] };
  controller.watch(informers.authorities, always);
  controller.watch(informers.serving, always);
  // Where neither Secret exists there is no event to begin with.
  controller.enqueue(key);
  return controller;
}

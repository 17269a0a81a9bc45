import { gatewayCaSecretName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { makeController } from "../make-controller.ts";
import { CertificateReconciler } from "./reconciler.ts";
import { authoritiesIn, bundleOf, textIn } from "./secrets.ts";

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
export function gatewayAuthorities(
  { authorities }: Pick<CertificateInformers, "authorities">,
  namespace: string,
): string {
  return bundleOf(authoritiesIn(authorities.get({ namespace, name: gatewayCaSecretName })));
}

/** The same where somebody else keeps the certificate: what the issuer wrote beside it; empty until it has. */
export function issuersAuthorities({ serving }: Pick<CertificateInformers, "serving">, namespace: string): string {
  return textIn(serving.get({ namespace, name: gatewayTlsSecretName }), "ca.crt");
}

export interface CertificateControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: CertificateInformers;
  namespace: string;
  dnsNames: readonly string[];
}

/** The controller of the gateway's certificate. The caller starts informers and controller. */
export function certificateController(deps: CertificateControllerDeps): Controller {
  const { clock, namespace, dnsNames, informers } = deps;
  const controller = makeController(deps, { name: "certificate", concurrency: 1 }, (client) => {
    return new CertificateReconciler({ client, clock, namespace, dnsNames });
  });
  const key = { namespace, name: gatewayTlsSecretName };
  const always = { keysOf: () => [key] };
  controller.watch(informers.authorities, always);
  controller.watch(informers.serving, always);
  // Where neither Secret exists there is no event to begin with.
  controller.enqueue(key);
  return controller;
}

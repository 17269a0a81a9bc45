import { gatewayCaSecretName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Random } from "../../lib/random.ts";
import { makeController } from "../../kube/make-controller.ts";
import { decideCertificates } from "./decide.ts";
import { performEffect } from "./effects.ts";
import { observeCertificates } from "./observe.ts";
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

/** The authorities by which runtimes trust the gateway, PEM; empty until the first one was made. */
export function gatewayAuthorities(
  { authorities }: Pick<CertificateInformers, "authorities">,
  namespace: string,
): string {
  return bundleOf(authoritiesIn(authorities.get({ namespace, name: gatewayCaSecretName })));
}

/** The same where cert-manager keeps the certificate: the authority that it wrote beside it; empty until it has. */
export function issuersAuthorities({ serving }: Pick<CertificateInformers, "serving">, namespace: string): string {
  return textIn(serving.get({ namespace, name: gatewayTlsSecretName }), "ca.crt");
}

export interface CertificateControllerDeps extends ControllerDeps {
  client: KubeClient;
  random: Random;
  informers: CertificateInformers;
  /** Of the Secrets. */
  namespace: string;
  /** Names that gateways are reached by. */
  dnsNames: readonly string[];
}

/** The controller of the gateway's certificate. The caller starts informers and controller. */
export function certificateController(deps: CertificateControllerDeps): Controller {
  const { clock, namespace, dnsNames, informers } = deps;
  const controller = makeController(deps, { name: "certificate", concurrency: 1 }, (client) => ({
    async reconcile(): Promise<Outcome> {
      const now = clock.now();
      const facts = await observeCertificates(client, namespace);
      const { effects, requeueMs } = decideCertificates(facts, now, dnsNames);
      for (const effect of effects) await performEffect({ ...deps, client }, effect, now);
      return requeueAfter(requeueMs);
    },
  }));
  const key = { namespace, name: gatewayTlsSecretName };
  const always = { keysOf: () => [key] };
  controller.watch(informers.authorities, always);
  controller.watch(informers.serving, always);
  // Without Secrets there is no first event.
  controller.enqueue(key);
  return controller;
}

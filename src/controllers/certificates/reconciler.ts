import { gatewayCaSecretName, gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Reconciler } from "../../kube/controller.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import { type CertificateFacts, type CertificateStep, planCertificates } from "./plan.ts";
import { authoritiesIn, makeAuthoritySecret, makeServingSecret, textIn } from "./secrets.ts";
import { type CertificatePair, issueServing, makeAuthority, readAuthority, readServing } from "./x509.ts";

export interface CertificateReconcilerDeps {
  client: Pick<KubeClient, "find" | "create" | "replace">;
  clock: Clock;
  namespace: string;
  /** What gateways are reached by. */
  dnsNames: readonly string[];
}

interface Stored {
  authoritySecret: Secret | undefined;
  servingSecret: Secret | undefined;
  authorities: CertificatePair[];
}

/** Keeps the gateway's certificate and the authority behind it, one step a pass. */
export class CertificateReconciler implements Reconciler {
  readonly #deps: CertificateReconcilerDeps;

  constructor(deps: CertificateReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(): Promise<Outcome> {
    const stored = await this.#read();
    const step = planCertificates(factsOf(stored, this.#deps.dnsNames), this.#deps.clock.now());
    if (step.kind === "wait") return requeueAfter(step.ms);
    await this.#act(step, stored);
    return requeueAfter(0);
  }

  async #read(): Promise<Stored> {
    const { client, namespace } = this.#deps;
    const [authoritySecret, servingSecret] = await Promise.all([
      client.find(secrets, { namespace, name: gatewayCaSecretName }),
      client.find(secrets, { namespace, name: gatewayTlsSecretName }),
    ]);
    return { authoritySecret, servingSecret, authorities: authoritiesIn(authoritySecret) };
  }

  async #act(step: Exclude<CertificateStep, { kind: "wait" }>, stored: Stored): Promise<void> {
    const { clock, namespace, dnsNames } = this.#deps;
    const pairOf = (fingerprint: string): CertificatePair[] =>
      stored.authorities.filter(({ cert }) => readAuthority(cert)?.fingerprint === fingerprint);
    if (step.kind === "makeAuthority") {
      const kept = step.keep.flatMap(({ fingerprint }) => pairOf(fingerprint));
      const made = await makeAuthority(clock.now());
      await this.#store(makeAuthoritySecret(namespace, [made, ...kept]), stored.authoritySecret);
      return;
    }
    const [signer] = pairOf(step.signer.fingerprint);
    if (!signer) throw new Error("the signer is one of the authorities that were read");
    const serving = await issueServing(signer, dnsNames, clock.now());
    await this.#store(makeServingSecret(namespace, serving, stored.authorities), stored.servingSecret);
  }

  /** Under the version that was decided on: two leaders never overwrite each other's authority. */
  async #store(wanted: Secret, found: Secret | undefined): Promise<void> {
    const { client } = this.#deps;
    if (!found) await client.create(secrets, wanted);
    else await client.replace(secrets, { ...found, data: wanted.data ?? {} });
  }
}

function factsOf({ authorities, servingSecret }: Stored, dnsNames: readonly string[]): CertificateFacts {
  const certificates = authorities.map(({ cert }) => cert);
  return {
    authorities: certificates.flatMap((cert) => readAuthority(cert) ?? []),
    serving: readServing(textIn(servingSecret, "tls.crt"), certificates),
    dnsNames,
  };
}

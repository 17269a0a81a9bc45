import { gatewayLeaseLabels } from "../../api/runtime/pod-contract.ts";
import { labels } from "../../api/v1alpha1/names.ts";
import { type Lease, leases, type Pod, pods, type Secret, secrets } from "../../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import { keyText, type KubeObject } from "../../lib/resource.ts";
import { type Release, sandboxLabels, selectorOf } from "./labels.ts";
import { present } from "./present.ts";
import { keepOwnMetadata } from "../../domain/own-metadata.ts";
import { ownerUidOf } from "../../domain/attempts/owner-labels.ts";
import { byLabel, indexNames } from "../kind-informers.ts";

/** What belongs to an owner of attempts, by the owner's UID. */
export const byOwnerUidIndex = "ownerUid";
/** Sandbox pods by the name of their class. */
export const byClassIndex = "sandboxClass";

/** Caches of what is not a kind of ours; one set for the process. */
export interface SandboxInformers {
  /** This release's sandbox pods, wherever it serves. */
  pods: Informer<Pod>;
  /** Secrets of the sessions namespace, as metadata. */
  secrets: Informer<Secret>;
  /** Leases of sandbox attempts. */
  leases: Informer<Lease>;
  /** The Leases by which gateway replicas show that they are there. */
  gatewayLeases: Informer<Lease>;
}

/** Caches of the objects beside our kinds that sandboxes need. */
export function sandboxInformers(
  deps: InformerDeps,
  where: { release: Release; sessionsNamespace: string; namespaces?: readonly string[] | undefined },
): SandboxInformers {
  const namespace = where.sessionsNamespace;
  const indexes = { [byOwnerUidIndex]: byOwnerUid };
  return {
    pods: new Informer(deps, pods, {
      namespaces: where.namespaces,
      labelSelector: selectorOf(sandboxLabels(where.release)),
      indexes: { ...indexes, [byClassIndex]: byLabel(labels.sandboxClass), [indexNames.session]: bySessionOfPod },
      transform: withoutSpec,
    }),
    secrets: new Informer(deps, secrets, { namespace, indexes, transform: withoutData }),
    leases: new Informer(deps, leases, { namespace, indexes }),
    gatewayLeases: new Informer(deps, leases, {
      namespace: where.release.namespace,
      labelSelector: selectorOf(gatewayLeaseLabels),
    }),
  };
}

/** Of the spec only what a pod may wait for; the gateway's certificates alone would make each pod several KB. */
function withoutSpec(pod: Pod): Pod {
  const { nodeName, schedulingGates } = pod.spec ?? {};
  pod.spec = { containers: [], ...present({ nodeName, schedulingGates }) };
  delete pod.metadata.annotations;
  return keepOwnMetadata(pod);
}

/** Bundles stay out of this process's memory. */
function withoutData(secret: Secret): Secret {
  return { metadata: { ...secret.metadata, annotations: undefined }, type: secret.type ?? "" };
}

function byOwnerUid({ metadata }: KubeObject): readonly string[] {
  const uid = ownerUidOf(metadata);
  return uid === undefined ? [] : [uid];
}

function bySessionOfPod({ metadata }: Pod): readonly string[] {
  const name = metadata.labels?.[labels.sessionName];
  return name === undefined ? [] : [keyText({ namespace: metadata.namespace, name })];
}

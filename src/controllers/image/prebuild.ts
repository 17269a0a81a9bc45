import { Environment } from "../../api/v1alpha1/environment.ts";
import { group } from "../../api/v1alpha1/kind.ts";
import { type Prebuild, PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { Repository } from "../../api/v1alpha1/repository.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { isAlreadyExists } from "../../kube/errors.ts";
import type { Informer } from "../../kube/informer.ts";
import { done, type Outcome } from "../../kube/outcome.ts";
import { keyOf, type KubeObject, type ObjectKey, ownerReferenceTo, type Resource } from "../../lib/resource.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../../kube/make-controller.ts";
import { isSpecChange } from "../predicates.ts";
import { sessionLabel } from "../sandbox/pod/names.ts";

interface Deps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<KindInformers, "prebuiltImages" | "repositories" | "environments">;
}

interface Scope extends KubeObject {
  spec: { prebuild?: Prebuild | undefined };
}

/** Keeps the images that Repositories and Environments ask for by `spec.prebuild`; they go with their owner. */
export function prebuildControllers(deps: Deps): Controller[] {
  const { repositories, environments } = deps.informers;
  return [
    prebuildController(deps, Repository, repositories, (ref) => ({ repositoryRef: ref })),
    prebuildController(deps, Environment, environments, (ref) => ({ environmentRef: ref })),
  ];
}

function prebuildController<T extends Scope>(
  deps: Deps,
  resource: Resource<T>,
  informer: Informer<T>,
  targetOf: (ref: { name: string }) => Pick<PrebuiltImage["spec"], "repositoryRef" | "environmentRef">,
): Controller {
  const { prebuiltImages } = deps.informers;
  const name = `prebuild-${resource.kind.toLowerCase()}`;
  const controller = makeController(deps, { name, concurrency: 2 }, (client) => ({
    async reconcile(key): Promise<Outcome> {
      const object = informer.get(key);
      if (!object || object.metadata.deletionTimestamp !== undefined) return done;
      const { uid } = object.metadata;
      const owned = prebuiltImages
        .list(key.namespace)
        .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller));
      await keep(client, owned, object, (metadata) => ({
        metadata: { ...metadata, ownerReferences: [ownerReferenceTo(resource, object)] },
        target: targetOf({ name: object.metadata.name ?? "" }),
      }));
      return done;
    },
  }));
  controller.watch(informer, { keysOf: (object) => [keyOf(object)], when: isSpecChange });
  controller.watch(prebuiltImages, { keysOf: (image) => ownerKeys(resource.kind, image), when: isSpecChange });
  return controller;
}

function ownerKeys(kind: string, { metadata }: PrebuiltImage): ObjectKey[] {
  const owners = metadata.ownerReferences ?? [];
  return owners
    .filter((owner) => owner.kind === kind && owner.apiVersion.startsWith(`${group}/`))
    .map(({ name }) => ({ namespace: metadata.namespace, name }));
}

/** Brings what is owned to what is asked for; a person's `suspend` stays. */
async function keep(
  client: KubeClient,
  owned: readonly PrebuiltImage[],
  { metadata, spec: { prebuild } }: Scope,
  made: (metadata: KubeObject["metadata"]) => {
    metadata: KubeObject["metadata"];
    target: Pick<PrebuiltImage["spec"], "repositoryRef" | "environmentRef">;
  },
): Promise<void> {
  const { namespace } = metadata;
  for (const image of owned) {
    const { uid, resourceVersion } = image.metadata;
    if (!prebuild) await client.delete(PrebuiltImage, keyOf(image), { uid, resourceVersion });
    else if (differs(image, prebuild)) {
      await client.patch(PrebuiltImage, keyOf(image), { metadata: { resourceVersion }, spec: { ...prebuild } });
    }
  }
  if (!prebuild || owned.length > 0) return;
  const { metadata: own, target } = made({ namespace, name: sessionLabel(metadata) });
  await client
    .create(PrebuiltImage, { metadata: own, spec: { ...target, ...prebuild, suspend: false } })
    .catch((error: unknown) => {
      // The cache does not show it yet.
      if (!isAlreadyExists(error)) throw error;
    });
}

function differs({ spec }: PrebuiltImage, prebuild: Prebuild): boolean {
  return spec.sandboxClassName !== prebuild.sandboxClassName || spec.serviceAccountName !== prebuild.serviceAccountName;
}

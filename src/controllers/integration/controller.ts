import { Integration, integrationSecretName } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { secrets } from "../../kube/core-resources.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { makeController } from "../../kube/make-controller.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { keyOf } from "../../lib/resource.ts";
import type { IntegrationInformers, KindInformers } from "../kind-informers.ts";
import { decideIntegration, decideWithoutConnector, type IntegrationEffect } from "./decide.ts";
import type { CopiedSecret, IntegrationFacts, Places } from "./facts.ts";

export interface IntegrationControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: IntegrationInformers & Pick<KindInformers, "repositories">;
  events: Pick<EventRecorder, "record">;
  release: Places;
  hasConnector: boolean;
}

/** The controller of Integrations: it copies their Secrets to where ingress and connector read them. */
export function integrationController(deps: IntegrationControllerDeps): Controller {
  const { informers, clock, events, release } = deps;
  const controller = makeController(deps, { name: "integration", concurrency: 2 }, (client) => ({
    async reconcile(key, signal): Promise<Outcome> {
      const integration = informers.integrations.get(key);
      if (!integration || integration.metadata.deletionTimestamp !== undefined) return done;
      const { effects, requeueMs } = deps.hasConnector
        ? decideIntegration(await observe({ client, informers }, integration, release, signal), clock.now(), release)
        : decideWithoutConnector(integration, clock.now());
      for (const effect of effects) await perform({ client, events }, integration, effect, signal);
      return requeueAfter(requeueMs);
    },
  }));
  controller.watch(informers.integrations, { keysOf: (integration) => [keyOf(integration)] });
  // What they say of autofix shows with the next look at the Secrets.
  controller.watch(informers.repositories, { keysOf: () => [] });
  return controller;
}

async function observe(
  { client, informers }: { client: Pick<KubeClient, "find"> } & Pick<IntegrationControllerDeps, "informers">,
  integration: Integration,
  { keysNamespace, tokensNamespace }: Places,
  signal: AbortSignal,
): Promise<IntegrationFacts> {
  const { namespace, uid = "" } = integration.metadata;
  const read = async (name: string, copyNamespace: string): Promise<CopiedSecret> => {
    const copied = { namespace: copyNamespace, name: integrationSecretName(uid) };
    const [source, copy] = await Promise.all([
      client.find(secrets, { namespace, name }, { signal }),
      client.find(secrets, copied, { signal }),
    ]);
    return { source, copy };
  };
  const { signingSecretRef, credentialsSecretRef } = integration.spec;
  const [signing, credentials] = await Promise.all([
    read(signingSecretRef.name, keysNamespace),
    read(credentialsSecretRef.name, tokensNamespace),
  ]);
  return { integration, signing, credentials, repositories: informers.repositories.list(namespace) };
}

async function perform(
  { client, events }: { client: KubeClient; events: Pick<EventRecorder, "record"> },
  integration: Integration,
  effect: IntegrationEffect,
  signal: AbortSignal,
): Promise<void> {
  switch (effect.kind) {
    case "createCopy":
      await client.create(secrets, effect.secret, { signal });
      return;
    case "replaceCopy": {
      const { resourceVersion } = effect.existing.metadata;
      const patch = { metadata: { resourceVersion }, data: effect.secret.data };
      await client.patch(secrets, keyOf(effect.existing), patch, { signal });
      return;
    }
    case "deleteCopy": {
      const { uid, resourceVersion } = effect.existing.metadata;
      await client.delete(secrets, keyOf(effect.existing), { uid, resourceVersion, signal });
      return;
    }
    case "writeStatus": {
      const stored = await client.patchStatus(Integration, integration, effect.status, { signal });
      for (const event of effect.events) events.record({ ...event, regarding: referenceTo(Integration, stored) });
    }
  }
}

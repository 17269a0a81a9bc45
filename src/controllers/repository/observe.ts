import type { Environment, Repository } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import type { KindInformers } from "../kind-informers.ts";
import { findRepositorySecrets } from "../sandbox/bundle/bundle-repository.ts";
import type { EnvironmentFacts, RepositoryFacts } from "./facts.ts";

export interface ScopeObserverDeps {
  client: Pick<KubeClient, "find">;
  informers: Pick<KindInformers, "repositories" | "sandboxClasses">;
}

export async function observeRepository(
  { client, informers }: ScopeObserverDeps,
  repository: Repository,
  signal: AbortSignal,
): Promise<RepositoryFacts> {
  const [named, scope] = await Promise.all([
    findRepositorySecrets(client, repository, signal),
    findScope(client, repository, signal),
  ]);
  return { object: repository, secrets: { ...named, scope }, classes: informers.sandboxClasses.list() };
}

export async function observeEnvironment(
  { client, informers }: ScopeObserverDeps,
  environment: Environment,
  signal: AbortSignal,
): Promise<EnvironmentFacts> {
  const { namespace } = environment.metadata;
  const scope = await findScope(client, environment, signal);
  const names = environment.spec.repositoryRefs.map(({ name }) => name);
  const missingRepositories = names.filter((name) => informers.repositories.get({ namespace, name }) === undefined);
  return { object: environment, missingRepositories, secrets: { scope } };
}

async function findScope(
  client: Pick<KubeClient, "find">,
  { metadata: { namespace }, spec: { secretRef } }: Repository | Environment,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  return secretRef && client.find(secrets, { namespace, name: secretRef.name }, { signal });
}

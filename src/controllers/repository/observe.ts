import type { Environment, Repository } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import type { KindInformers } from "../kind-informers.ts";
import { secretRefsOf } from "../sandbox/bundle/bundle-repository.ts";
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
  const refs = secretRefsOf(repository);
  const { namespace } = repository.metadata;
  const [credential, ca, appKey, scope] = await Promise.all(
    [refs.credential, refs.ca, refs.appKey, repository.spec.secretRef].map((ref) =>
      findNamed(client, namespace, ref, signal),
    ),
  );
  return { object: repository, secrets: { credential, ca, appKey, scope }, classes: informers.sandboxClasses.list() };
}

export async function observeEnvironment(
  { client, informers }: ScopeObserverDeps,
  environment: Environment,
  signal: AbortSignal,
): Promise<EnvironmentFacts> {
  const { namespace } = environment.metadata;
  const scope = await findNamed(client, namespace, environment.spec.secretRef, signal);
  const names = environment.spec.repositoryRefs.map(({ name }) => name);
  const missingRepositories = names.filter((name) => informers.repositories.get({ namespace, name }) === undefined);
  return { object: environment, missingRepositories, secrets: { scope } };
}

async function findNamed(
  client: Pick<KubeClient, "find">,
  namespace: string | undefined,
  ref: { name: string } | undefined,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  return ref && client.find(secrets, { namespace, name: ref.name }, { signal });
}

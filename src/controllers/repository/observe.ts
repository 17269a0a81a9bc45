import { type Environment, type Repository, Skill } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import type { IntegrationInformers, KindInformers } from "../kind-informers.ts";
import { keyOf } from "../../lib/resource.ts";
import { findRepositorySecrets } from "../sandbox/bundle/bundle-repository.ts";
import { findConfigMaps } from "../sandbox/skills/find-config-maps.ts";
import type { EnvironmentFacts, RepositoryFacts, SkillFacts } from "./facts.ts";

export interface ScopeObserverDeps {
  client: Pick<KubeClient, "find">;
  informers: Pick<KindInformers, "repositories" | "sandboxClasses" | "skills"> & IntegrationInformers;
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
  const { namespace } = repository.metadata;
  return {
    object: repository,
    secrets: { ...named, scope },
    classes: informers.sandboxClasses.list(),
    skills: informers.skills.list(namespace),
    integrations: informers.integrations.list(namespace),
  };
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
  return { object: environment, missingRepositories, secrets: { scope }, skills: informers.skills.list(namespace) };
}

/** Reads the Skill itself, whose content the cache lacks; undefined: it is gone. */
export async function observeSkill(
  { client }: Pick<ScopeObserverDeps, "client">,
  cached: Skill,
  signal: AbortSignal,
): Promise<SkillFacts | undefined> {
  const { namespace = "" } = cached.metadata;
  const object = await client.find<Skill>(Skill, keyOf(cached), { signal });
  return object && { object, configMaps: await findConfigMaps(client, namespace, object.spec, signal) };
}

async function findScope(
  client: Pick<KubeClient, "find">,
  { metadata: { namespace }, spec: { secretRef } }: Repository | Environment,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  return secretRef && client.find(secrets, { namespace, name: secretRef.name }, { signal });
}

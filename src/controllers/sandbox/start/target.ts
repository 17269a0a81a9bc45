import type { BundleRepository } from "../../../api/runtime/bundle.ts";
import type { GitHubAppAccess } from "../../../api/runtime/github-apps.ts";
import type { RepositoryReference } from "../../../api/v1alpha1/clone.ts";
import { Environment } from "../../../api/v1alpha1/environment.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { Repository } from "../../../api/v1alpha1/repository.ts";
import type { ScopeSource } from "../secrets/scope.ts";
import type { SettingsLayer } from "../../../domain/settings/effective.ts";
import { bundleRepository, findRepositorySecrets, type FoundRepository } from "../bundle/bundle-repository.ts";
import type { GitHubConfig } from "../bundle/github-app.ts";
import type { AttemptOwner } from "../owner.ts";
import { present } from "../present.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { scopeSources } from "../secrets/scope-secret.ts";
import { type Account, checkAllowed, type StartRightsDeps } from "./rights.ts";

export type StartTargetDeps = StartRightsDeps & { github: GitHubConfig };

export interface FoundTarget {
  repositories: BundleRepository[];
  /** What the gateway mints credentials of repositories from. */
  githubApps: GitHubAppAccess[];
  /** Of the primary Repository, and over it of the Environment. */
  targetSettings: SettingsLayer[];
  /** UID of the Environment or the one Repository that is the target; undefined for several or none. */
  scopeUid?: string | undefined;
  /** Whose secrets the session gets. */
  sources: ScopeSource[];
}

/**
 * Reads what a sandbox works on, as far as its account may. A saved workspace holds the Repositories of the sandbox before,
 * so later changes of an Environment's list do not count.
 */
export async function findTarget(
  deps: StartTargetDeps,
  { spec, repositories }: Pick<AttemptOwner, "spec" | "repositories">,
  account: Account,
): Promise<Checked<FoundTarget>> {
  const { environmentRef, repositoryRefs = [] } = spec.target;
  if (!environmentRef) return findRepositories(deps, account, repositoryRefs);
  const { name } = environmentRef;
  const allowed = await checkAllowed(deps, account, { verb: "get", resource: "environments", name });
  if (!allowed.ok) return allowed;
  const environment = await deps.client.find(Environment, { namespace: account.namespace, name });
  if (!environment)
    return refused(reasons.environmentNotFound, `Environment ${account.namespace}/${name} does not exist`);
  const refs = repositories?.map((repository) => ({ name: repository })) ?? environment.spec.repositoryRefs;
  const found = await findRepositories(deps, account, refs);
  if (!found.ok) return found;
  const { settings, secretRef } = environment.spec;
  const sources = scopeSources({ environment: { name, secretRef } });
  const own = { origin: `Environment/${name}`, settings };
  const { uid: scopeUid } = environment.metadata;
  return checked({ ...found.value, scopeUid, targetSettings: [...found.value.targetSettings, own], sources });
}

async function findRepositories(
  deps: StartTargetDeps,
  account: Account,
  refs: readonly RepositoryReference[],
): Promise<Checked<FoundTarget>> {
  const found = await Promise.all(refs.map((ref) => findRepository(deps, account, ref)));
  const repositories = [];
  for (const repository of found) {
    if (!repository.ok) return repository;
    repositories.push(repository.value);
  }
  const [primary] = repositories;
  return checked({
    repositories: repositories.map(({ entry }) => entry),
    githubApps: repositories.flatMap(({ githubApp }) => githubApp ?? []),
    scopeUid: repositories.length === 1 ? primary?.uid : undefined,
    targetSettings: primary ? [{ origin: `Repository/${primary.entry.name}`, settings: primary.spec.settings }] : [],
    sources: scopeSources({
      repositories: repositories.map(({ entry, spec }) => ({ name: entry.name, secretRef: spec.secretRef })),
    }),
  });
}

async function findRepository(
  deps: StartTargetDeps,
  account: Account,
  { name, ...checkedOut }: RepositoryReference,
): Promise<Checked<FoundRepository & Pick<Repository, "spec"> & { uid: string | undefined }>> {
  const { namespace } = account;
  const allowed = await checkAllowed(deps, account, { verb: "get", resource: "repositories", name });
  if (!allowed.ok) return allowed;
  const repository = await deps.client.find(Repository, { namespace, name });
  if (!repository) return refused(reasons.repositoryNotFound, `Repository ${namespace}/${name} does not exist`);
  const secrets = await findRepositorySecrets(deps.client, repository);
  const found = bundleRepository(repository, secrets, deps.github);
  if (!found.ok) return found;
  const entry = { ...found.value.entry, ...present(checkedOut) };
  return checked({ ...found.value, entry, spec: repository.spec, uid: repository.metadata.uid });
}

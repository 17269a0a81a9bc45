import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { Environment } from "../../api/v1alpha1/environment.ts";
import { group } from "../../api/v1alpha1/kind.ts";
import { sandboxAccountName } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { Repository, type RepositorySpec } from "../../api/v1alpha1/repository.ts";
import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Settings } from "../../api/v1alpha1/settings.ts";
import type { Agent } from "../../api/v1alpha1/agent.ts";
import type { ScopeSource } from "../../domain/secrets/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { secrets, serviceAccounts, subjectAccessReviews } from "../../kube/core-resources.ts";
import { bundleRepository } from "../../sandbox/bundle-repository.ts";
import { defaultClassOf } from "../../sandbox/default-class.ts";
import { type Checked, checked, refused } from "../../sandbox/refusal.ts";
import { scopeSources } from "../../sandbox/scope-secret.ts";
import type { TenantNamespaces } from "../../sandbox/tenant-namespaces.ts";
import { findSecrets, type StartSecretsDeps } from "./start-secrets.ts";

/** What a session's sandbox is made of, found and allowed. */
export interface StartInputs {
  sandboxClass: SandboxClass;
  agent: Agent;
  repositories: BundleRepository[];
  /** Of the Environment, or of the primary Repository. */
  targetSettings: Settings | undefined;
  /** The session's merged secrets, for hooks and agent. */
  environment: Record<string, string>;
}

export interface StartCheckDeps extends StartSecretsDeps {
  client: Pick<KubeClient, "find" | "list" | "create">;
  namespaces: TenantNamespaces;
}

interface Account {
  namespace: string;
  name: string;
}

/**
 * Reads, live, all that a session's sandbox needs, and asks for each of it whether the session's ServiceAccount may:
 * `use` of the class, `get` of Environment and Repositories. The first thing that is missing or forbidden refuses.
 */
export async function checkStart(deps: StartCheckDeps, session: Session): Promise<Checked<StartInputs>> {
  const account = { namespace: session.metadata.namespace ?? "", name: session.spec.serviceAccountName };
  const sandboxClass = await findClass(deps, session);
  if (!sandboxClass.ok) return sandboxClass;
  const agent = session.spec.agent ?? sandboxClass.value.spec.agent;
  const className = sandboxClass.value.metadata.name ?? "";
  if (!agent) {
    return refused(reasons.agentNotConfigured, `neither the session nor SandboxClass ${className} names an agent`);
  }
  const known = await checkAccount(deps, account);
  if (!known.ok) return known;
  const allowed = await checkAllowed(deps, account, { verb: "use", resource: "sandboxclasses", name: className });
  if (!allowed.ok) return allowed;
  const target = await findTarget(deps, session, account);
  if (!target.ok) return target;
  const { sources, ...found } = target.value;
  const secrets = await findSecrets(deps, { ...account, name: session.metadata.name ?? "" }, sources);
  if (!secrets.ok) return secrets;
  return checked({ sandboxClass: sandboxClass.value, agent, ...found, environment: secrets.value });
}

async function findClass({ client }: StartCheckDeps, { spec }: Session): Promise<Checked<SandboxClass>> {
  const name = spec.sandboxClassName;
  if (name !== undefined) {
    const named = await client.find(SandboxClass, { name });
    return named ? checked(named) : refused(reasons.sandboxClassNotFound, `SandboxClass ${name} does not exist`);
  }
  const { items } = await client.list(SandboxClass);
  const chosen = defaultClassOf(items);
  if (chosen) return checked(chosen);
  return refused(reasons.sandboxClassNotFound, "the session names no SandboxClass and none is the default");
}

async function checkAccount(deps: StartCheckDeps, { namespace, name }: Account): Promise<Checked<undefined>> {
  if (name === sandboxAccountName) {
    const { items } = await deps.client.list(SandboxClass);
    await deps.namespaces.ensureAccount(namespace, defaultClassOf(items));
  }
  const account = await deps.client.find(serviceAccounts, { namespace, name });
  if (account && account.metadata.deletionTimestamp === undefined) return checked(undefined);
  return refused(reasons.serviceAccountNotFound, `ServiceAccount ${namespace}/${name} does not exist`);
}

interface Attempted {
  verb: "use" | "get";
  resource: "sandboxclasses" | "repositories" | "environments";
  name: string;
}

/**
 * Asked with the session's namespace for classes too, so that a Role there can allow their use; and with the groups
 * that a token of the account would bring, or rights given to a group would count as missing.
 */
async function checkAllowed(deps: StartCheckDeps, account: Account, attempted: Attempted): Promise<Checked<undefined>> {
  const { namespace, name } = account;
  const { status } = await deps.client.create(subjectAccessReviews, {
    metadata: {},
    spec: {
      user: `system:serviceaccount:${namespace}:${name}`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
      resourceAttributes: { group, namespace, ...attempted },
    },
  });
  if (status?.allowed) return checked(undefined);
  if (name === sandboxAccountName && deps.namespaces.hasJustChanged(namespace)) {
    throw new Error(`the rights of ServiceAccount ${namespace}/${name} are not in force yet`);
  }
  const { verb, resource, name: what } = attempted;
  const message = `ServiceAccount ${namespace}/${name} may not ${verb} ${resource}.${group} ${what}`;
  return refused(reasons.ownerNotAllowed, `${message} in namespace ${namespace}`);
}

interface FoundTarget extends Pick<StartInputs, "repositories" | "targetSettings"> {
  /** Whose secrets the session gets. */
  sources: ScopeSource[];
}

async function findTarget(deps: StartCheckDeps, session: Session, account: Account): Promise<Checked<FoundTarget>> {
  const { environmentRef, repositoryRefs = [] } = session.spec.target;
  if (!environmentRef) return findRepositories(deps, account, repositoryRefs);
  const { name } = environmentRef;
  const allowed = await checkAllowed(deps, account, { verb: "get", resource: "environments", name });
  if (!allowed.ok) return allowed;
  const environment = await deps.client.find(Environment, { namespace: account.namespace, name });
  if (!environment)
    return refused(reasons.environmentNotFound, `Environment ${account.namespace}/${name} does not exist`);
  const found = await findRepositories(deps, account, environment.spec.repositoryRefs);
  if (!found.ok) return found;
  // An Environment's settings stand in for those of its Repositories.
  const { settings, secretRef } = environment.spec;
  const sources = scopeSources({ environment: { name, secretRef } });
  return checked({ repositories: found.value.repositories, targetSettings: settings, sources });
}

async function findRepositories(
  deps: StartCheckDeps,
  account: Account,
  refs: readonly { name: string }[],
): Promise<Checked<FoundTarget>> {
  const found = await Promise.all(refs.map(({ name }) => findRepository(deps, account, name)));
  const repositories: FoundRepository[] = [];
  for (const repository of found) {
    if (!repository.ok) return repository;
    repositories.push(repository.value);
  }
  return checked({
    repositories: repositories.map(({ entry }) => entry),
    targetSettings: repositories[0]?.spec.settings,
    sources: scopeSources({
      repositories: repositories.map(({ entry, spec }) => ({ name: entry.name, secretRef: spec.secretRef })),
    }),
  });
}

interface FoundRepository {
  entry: BundleRepository;
  spec: RepositorySpec;
}

async function findRepository(deps: StartCheckDeps, account: Account, name: string): Promise<Checked<FoundRepository>> {
  const { namespace } = account;
  const allowed = await checkAllowed(deps, account, { verb: "get", resource: "repositories", name });
  if (!allowed.ok) return allowed;
  const repository = await deps.client.find(Repository, { namespace, name });
  if (!repository) return refused(reasons.repositoryNotFound, `Repository ${namespace}/${name} does not exist`);
  const { credentialSecretRef, caSecretRef } = repository.spec;
  const read = (ref: { name: string } | undefined) => ref && deps.client.find(secrets, { namespace, name: ref.name });
  const entry = bundleRepository(repository, {
    credential: await read(credentialSecretRef),
    ca: await read(caSecretRef),
  });
  return entry.ok ? checked({ entry: entry.value, spec: repository.spec }) : entry;
}

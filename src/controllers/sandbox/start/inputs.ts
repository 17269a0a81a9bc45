import type { Agent } from "../../../api/v1alpha1/agent.ts";
import { sandboxAccountName } from "../../../api/v1alpha1/names.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import { secrets } from "../../../kube/core-resources.ts";
import type { KubeLog } from "../../../kube/ports.ts";
import type { ObjectMeta } from "../../../lib/resource.ts";
import { defaultClassOf } from "../default-class.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import type { ScopeSource } from "../secrets/scope.ts";
import { readScope, type SecretValue } from "../secrets/scope-secret.ts";
import { sessionSecrets } from "../secrets/merge.ts";
import { checkClass } from "./rights.ts";
import type { AttemptOwner } from "../owner.ts";
import { readSkills, type StartSkills } from "../skills/read.ts";
import { findTarget, type FoundTarget, type StartTargetDeps } from "./target.ts";

/** What a sandbox is made of, found and allowed. */
export interface StartInputs extends FoundTarget {
  sandboxClass: SandboxClass;
  agent: Agent;
  /** The merged secrets, for hooks and agent. */
  environment: Record<string, string>;
  /** What agents are instructed by; undefined: no Skill applies. */
  skills: StartSkills | undefined;
}

export interface StartCheckDeps extends StartTargetDeps {
  log: KubeLog;
}

/**
 * Reads, live, all that an owner's sandbox needs, and asks for each of it whether the owner's ServiceAccount may: `use` of
 * the class, `get` of Environment and Repositories, `list` of Skills where one applies. The first thing that is missing or forbidden refuses. The account of
 * owners that name none may have to be made first.
 */
export async function readStartInputs(
  deps: StartCheckDeps,
  owner: AttemptOwner,
): Promise<Checked<StartInputs> | { lacksAccount: true; defaultClass: SandboxClass | undefined }> {
  const account = { namespace: owner.metadata.namespace ?? "", name: owner.spec.serviceAccountName };
  const sandboxClass = await findClass(deps, owner);
  if (!sandboxClass.ok) return sandboxClass;
  const agent = agentOf(owner, sandboxClass.value);
  if (!agent.ok) return agent;
  if (account.name === sandboxAccountName) {
    const defaultClass = await findDefaultClass(deps);
    if (!deps.namespaces.isAccountInOrder(account.namespace, defaultClass)) return { lacksAccount: true, defaultClass };
  }
  const allowed = await checkClass(deps, account, sandboxClass.value.metadata.name ?? "");
  if (!allowed.ok) return allowed;
  const target = await findTarget(deps, owner, account);
  if (!target.ok) return target;
  const contents = await readContents(deps, owner, target.value);
  if (!contents.ok) return contents;
  return checked({
    sandboxClass: sandboxClass.value,
    agent: agent.value,
    ...target.value,
    ...contents.value,
  });
}

async function readContents(
  deps: StartCheckDeps,
  owner: AttemptOwner,
  { sources, repositories }: FoundTarget,
): Promise<Checked<Pick<StartInputs, "environment" | "skills">>> {
  const environment = await readEnvironment(deps, owner.metadata, sources);
  if (!environment.ok) return environment;
  const names = repositories.map(({ name }) => name);
  const skills = await readSkills(deps.client, owner, names);
  return skills.ok ? checked({ environment: environment.value, skills: skills.value }) : skills;
}

async function findClass(deps: StartCheckDeps, { spec }: AttemptOwner): Promise<Checked<SandboxClass>> {
  const name = spec.sandboxClassName;
  if (name !== undefined) {
    const named = await deps.client.find(SandboxClass, { name });
    return named ? checked(named) : refused(reasons.sandboxClassNotFound, `SandboxClass ${name} does not exist`);
  }
  const chosen = await findDefaultClass(deps);
  if (chosen) return checked(chosen);
  return refused(reasons.sandboxClassNotFound, "the session names no SandboxClass and none is the default");
}

async function findDefaultClass({ client }: StartCheckDeps): Promise<SandboxClass | undefined> {
  const { items } = await client.list(SandboxClass);
  return defaultClassOf(items);
}

function agentOf({ spec }: AttemptOwner, sandboxClass: SandboxClass): Checked<Agent> {
  const agent = spec.agent ?? sandboxClass.spec.agent;
  if (agent) return checked(agent);
  const name = sandboxClass.metadata.name ?? "";
  return refused(reasons.agentNotConfigured, `neither the session nor SandboxClass ${name} names an agent`);
}

/** Reads, live, what hooks and agent get as environment variables, or says why nothing may start with it. */
async function readEnvironment(
  { client, log }: StartCheckDeps,
  { namespace = "", name = "" }: ObjectMeta,
  sources: readonly ScopeSource[],
): Promise<Checked<Record<string, string>>> {
  const scopes = [];
  for (const source of sources) {
    const scope = readScope(source, await client.find(secrets, { namespace, name: source.secretName }), namespace);
    if (!scope.ok) return scope;
    scopes.push(scope.value);
  }
  const merged = sessionSecrets<SecretValue>(scopes);
  if (!merged.ok) return merged;
  for (const override of merged.value.overrides) log.debug({ namespace, name, ...override }, "Overrode a secret");
  // Also names that every object has by itself end up as members of their own.
  return checked(Object.fromEntries(merged.value.entries.map(({ key, value }) => [key, value])));
}

import type { Agent } from "../../../api/v1alpha1/agent.ts";
import { sandboxAccountName } from "../../../api/v1alpha1/names.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import { defaultClassOf } from "../default-class.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { type Account, checkAccount, checkAllowed } from "./rights.ts";
import type { AttemptOwner } from "../owner.ts";
import { readEnvironment, type EnvironmentDeps } from "./environment.ts";
import { findTarget, type FoundTarget, type StartTargetDeps } from "./target.ts";

/** What a sandbox is made of, found and allowed. */
export interface StartInputs extends FoundTarget {
  sandboxClass: SandboxClass;
  agent: Agent;
  /** The merged secrets, for hooks and agent. */
  environment: Record<string, string>;
}

export type StartCheckDeps = StartTargetDeps & EnvironmentDeps;

/** The account of owners that name none must be made first. */
export interface LacksAccount {
  lacksAccount: true;
  defaultClass: SandboxClass | undefined;
}

/**
 * Reads, live, all that an owner's sandbox needs, and asks for each of it whether the owner's ServiceAccount may: `use` of
 * the class, `get` of Environment and Repositories. The first thing that is missing or forbidden refuses.
 */
export async function readStartInputs(
  deps: StartCheckDeps,
  owner: AttemptOwner,
): Promise<Checked<StartInputs> | LacksAccount> {
  const account = { namespace: owner.metadata.namespace ?? "", name: owner.spec.serviceAccountName };
  const sandboxClass = await findClass(deps, owner);
  if (!sandboxClass.ok) return sandboxClass;
  const agent = agentOf(owner, sandboxClass.value);
  if (!agent.ok) return agent;
  if (account.name === sandboxAccountName) {
    const defaultClass = await findDefaultClass(deps);
    if (!deps.namespaces.isAccountInOrder(account.namespace, defaultClass)) return { lacksAccount: true, defaultClass };
  }
  const allowed = await checkClass(deps, account, sandboxClass.value);
  if (!allowed.ok) return allowed;
  const target = await findTarget(deps, owner.spec.target, account);
  if (!target.ok) return target;
  const environment = await readEnvironment(deps, owner.metadata, target.value.sources);
  if (!environment.ok) return environment;
  return checked({
    sandboxClass: sandboxClass.value,
    agent: agent.value,
    ...target.value,
    environment: environment.value,
  });
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

async function checkClass(
  deps: StartCheckDeps,
  account: Account,
  { metadata }: SandboxClass,
): Promise<Checked<undefined>> {
  const known = await checkAccount(deps, account);
  if (!known.ok) return known;
  return checkAllowed(deps, account, { verb: "use", resource: "sandboxclasses", name: metadata.name ?? "" });
}

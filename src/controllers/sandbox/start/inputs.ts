import type { Agent } from "../../../api/v1alpha1/agent.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import { defaultClassOf } from "../default-class.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { type Account, checkAccount, checkAllowed } from "./rights.ts";
import { findSecrets, type StartSecretsDeps } from "./environment.ts";
import { findTarget, type FoundTarget, type StartTargetDeps } from "./target.ts";

/** What a session's sandbox is made of, found and allowed. */
export interface StartInputs extends FoundTarget {
  sandboxClass: SandboxClass;
  agent: Agent;
  /** The session's merged secrets, for hooks and agent. */
  environment: Record<string, string>;
}

export type StartCheckDeps = StartTargetDeps & StartSecretsDeps;

/**
 * Reads, live, all that a session's sandbox needs, and asks for each of it whether the session's ServiceAccount may:
 * `use` of the class, `get` of Environment and Repositories. The first thing that is missing or forbidden refuses.
 */
export async function checkStart(deps: StartCheckDeps, session: Session): Promise<Checked<StartInputs>> {
  const account = { namespace: session.metadata.namespace ?? "", name: session.spec.serviceAccountName };
  const sandboxClass = await findClass(deps, session);
  if (!sandboxClass.ok) return sandboxClass;
  const agent = agentOf(session, sandboxClass.value);
  if (!agent.ok) return agent;
  const allowed = await checkClass(deps, account, sandboxClass.value);
  if (!allowed.ok) return allowed;
  const target = await findTarget(deps, session, account);
  if (!target.ok) return target;
  const environment = await findSecrets(deps, session, target.value.sources);
  if (!environment.ok) return environment;
  return checked({
    sandboxClass: sandboxClass.value,
    agent: agent.value,
    ...target.value,
    environment: environment.value,
  });
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

function agentOf({ spec }: Session, sandboxClass: SandboxClass): Checked<Agent> {
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

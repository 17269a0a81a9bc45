import {
  Conversation,
  group,
  Integration,
  labels,
  type LocalReference,
  type Session,
  type SessionTarget,
  type Target,
} from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";

/**
 * Why a Session that the connector made may not start: it is held against the Integration of its Conversation as both are now,
 * so that a connector in other hands starts nothing that no Integration allows. Undefined for all other Sessions.
 */
export async function integrationProblem(
  client: Pick<KubeClient, "find">,
  { metadata, spec }: Session,
): Promise<string | undefined> {
  const { namespace } = metadata;
  const owner = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === Conversation.kind && apiVersion.startsWith(`${group}/`),
  );
  if (!owner) return metadata.labels?.[labels.conversationUid] === undefined ? undefined : "it has no Conversation";
  const conversation = await client.find<Conversation>(Conversation, { namespace, name: owner.name });
  if (conversation?.metadata.uid !== owner.uid) return `its Conversation ${owner.name} is gone`;
  const { name, uid } = conversation.spec.integrationRef;
  const integration = await client.find<Integration>(Integration, { namespace, name });
  if (integration?.metadata.uid !== uid) return `its Integration ${name} is gone`;
  const differs = differenceOf(integration, spec);
  return differs === undefined ? undefined : `its ${differs} is not what Integration ${name} allows`;
}

/** The first field in which a Session differs from what its Integration allows. */
function differenceOf({ spec }: Integration, session: Session["spec"]): string | undefined {
  if (session.serviceAccountName !== spec.serviceAccountName) return "serviceAccountName";
  if (session.sandboxClassName !== spec.sandboxClassName) return "sandboxClassName";
  if (session.agent !== undefined) return "agent";
  if (session.settings !== undefined) return "settings";
  if (session.payloadRunRef !== undefined) return "payloadRunRef";
  return targetsOf(spec).some((target) => jsonEqual(target, session.target)) ? undefined : "target";
}

/** Targets of all mappings and rules, and the Repositories and Environments that requests may be about. */
function targetsOf({ github, linear, slack }: Integration["spec"]): SessionTarget[] {
  const ofLinear = linear ? [...ofMappings([...linear.projects, ...linear.teams]), ...ofRepositories(linear)] : [];
  if (github) return ofRepositories(github);
  if (!slack) return ofLinear;
  const environments = slack.environments.map((environmentRef): SessionTarget => ({ environmentRef }));
  return [...ofLinear, ...ofMappings([...slack.rules, ...slack.channels]), ...ofRepositories(slack), ...environments];
}

function ofRepositories({ repositories }: { repositories: readonly LocalReference[] }): SessionTarget[] {
  return repositories.map((repository) => ({ repositoryRefs: [repository] }));
}

function ofMappings(mappings: readonly { target: Target }[]): SessionTarget[] {
  return mappings.map(({ target: { environmentRef, repositoryRef } }): SessionTarget => {
    if (environmentRef) return { environmentRef };
    return repositoryRef ? { repositoryRefs: [repositoryRef] } : {};
  });
}

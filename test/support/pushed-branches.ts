import {
  conditionTypes,
  Integration,
  Prompt,
  PullRequest,
  type PullRequestStatus,
  type Reason,
  type Session,
} from "../../src/api/v1alpha1/index.ts";
import { makePrompt } from "../../src/domain/prompts/make-prompt.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { aVerdict } from "./builders.ts";

/** Stores a Prompt that has ended, with the branch that the agent reported. */
export async function storeEndedPrompt(
  client: KubeClient,
  session: Session,
  { name, branch, time = new Date() }: { name: string; branch: string | undefined; time?: Date },
): Promise<Prompt> {
  const prompt = await client.create(Prompt, makePrompt(session, { name, text: "Fix it." }));
  return client.patchStatus(Prompt, prompt, {
    observedGeneration: 1,
    completionTime: time.toISOString(),
    result: { ...(branch !== undefined && { branch }) },
    conditions: [aVerdict(true, "Completed", time)],
  });
}

/** Stores what the connector makes of a branch of `acme/api`. */
export async function storePullRequest(
  client: KubeClient,
  { metadata }: Session,
  {
    head,
    reason,
    message = `It is ${reason}`,
    status = {},
  }: { head: string; reason: Reason; message?: string; status?: PullRequestStatus },
): Promise<PullRequest> {
  const { name = "", uid = "", namespace } = metadata;
  const made = await client.create(PullRequest, {
    metadata: { generateName: "github-", namespace },
    spec: {
      ...{ integrationRef: { name: "github", uid: "i" }, sessionRef: { name, uid }, repositoryRef: { name: "api" } },
      ...{ repository: "acme/api", head, base: "main", title: "Fix", body: "", openAs: "Draft" },
    },
  });
  const verdict = aVerdict(status.number !== undefined, reason, new Date());
  const conditions = [{ ...verdict, type: conditionTypes.ready, message }];
  return client.patchStatus(PullRequest, made, { ...status, conditions });
}

/** Stores an Integration that opens pull requests of `api` when it is asked to. */
export function storeOpeningIntegration(client: KubeClient, namespace: string): Promise<Integration> {
  return client.create(Integration, {
    metadata: { generateName: "github-", namespace },
    spec: {
      type: "GitHub",
      serviceAccountName: "runner",
      signingSecretRef: { name: "github" },
      credentialsSecretRef: { name: "github-app" },
      github: {
        appID: 1,
        slug: "runwright",
        installationID: 1,
        repositories: [{ name: "api" }],
        pullRequests: "OnRequest",
      },
    },
  } as Integration);
}

/** Status of one that is open as a draft. */
export const openedAsDraft = { number: 17, url: "https://github.com/acme/api/pull/17", githubState: "Draft" } as const;

import { integrationSecretName, type Integration, labels } from "../../src/api/v1alpha1/index.ts";
import { GitHubApi } from "../../src/connector/github/github-api.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { GitHubServer } from "./github-model.ts";

/** The connector's calls of GitHub's stand-in for an Integration with its App, without an API server. */
export function githubApp(
  { app, installation, url }: GitHubServer,
  assertLeading: () => void = () => undefined,
): { github: GitHubApi; integration: Integration } {
  const integration = {
    metadata: { name: "github", namespace: "shop", uid: "u1" },
    spec: { type: "GitHub", github: { appID: app.id, slug: app.slug, installationID: installation.id } },
  } as unknown as Integration;
  const secret = {
    metadata: { name: integrationSecretName("u1"), labels: { [labels.integrationUid]: "u1" } },
    data: { "private-key": Buffer.from(app.privateKey).toString("base64") },
  };
  const client = { find: () => Promise.resolve(secret) } as unknown as KubeClient;
  const observer = { called: (): void => undefined };
  const calling = { client, clock: systemClock, tokensNamespace: "tokens", observer, assertLeading };
  const github = new GitHubApi({ ...calling, githubUrl: url });
  return { github, integration };
}

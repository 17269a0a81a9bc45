import {
  Integration,
  Repository,
  signingSecretDataKeys,
  slackCredentialKeys,
} from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import type { KubeObject, Resource } from "../../../src/lib/resource.ts";
import { aRepository, aSecret } from "../../support/builders.ts";
import { tenant as namespace } from "../places.ts";
import { slackPlaces } from "./slack-places.ts";

type Create = <T extends KubeObject>(resource: Resource<T>, object: T) => void;

/** An Integration with Slack, whose requests are all about one Repository. */
export function createIntegration(create: Create): void {
  const { integration: name, team, person, signingSecret, botToken } = slackPlaces;
  create(Repository, aRepository("api", { metadata: { namespace } }));
  create(secrets, aSecret({ [signingSecretDataKeys.current]: signingSecret }, { name: `${name}-signing`, namespace }));
  create(secrets, aSecret({ [slackCredentialKeys.botToken]: botToken }, { name: `${name}-app`, namespace }));
  create(Integration, {
    metadata: { name, namespace },
    spec: {
      type: "Slack",
      serviceAccountName: "runner",
      signingSecretRef: { name: `${name}-signing` },
      credentialsSecretRef: { name: `${name}-app` },
      access: { users: [person] },
      slack: { teamID: team, repositories: [{ name: "api" }] },
    },
  } as unknown as Integration);
}

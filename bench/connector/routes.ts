import type { Integration } from "../../src/api/v1alpha1/index.ts";
import { comment, makeGitHubIntegration, openIssue, sendGitHub } from "../../test/apiserver/connector/github-world.ts";
import { envelope, makeSlackIntegration, mention, sendSlack } from "../../test/apiserver/connector/slack-world.ts";
import type { World } from "../../test/apiserver/connector/world.ts";

/** A provider's way into the ingress. */
export interface Route {
  makeIntegration(world: World): Promise<Integration>;
  /** Sends a signed event that no other is a repeat of, with which a person asks for work; gives the answer's status. */
  send(world: World, integration: Integration): Promise<number>;
}

export const routes = {
  slack: {
    makeIntegration: (world) => makeSlackIntegration(world),
    async send(world, integration) {
      const { status } = await sendSlack(world, integration, envelope(world, mention(world, "fix it").event));
      return status;
    },
  },
  github: {
    makeIntegration: (world) => makeGitHubIntegration(world),
    async send(world, integration) {
      const { event } = comment(world, openIssue(world), "@helper fix it");
      const { status } = await sendGitHub(world, integration, event);
      return status;
    },
  },
} as const satisfies Record<string, Route>;

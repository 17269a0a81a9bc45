import { randomUUID } from "node:crypto";

import type { Integration, IntegrationEvent } from "../../../src/api/v1alpha1/index.ts";
import { githubHeaders } from "../../support/github-events.ts";
import { repositoryId } from "../../support/github-pulls.ts";
import type { GitHubComment } from "../../support/github-model.ts";
import { signingSecret, type World } from "./world.ts";

export const ann = { id: 11, login: "ann" };
const repository = { id: repositoryId, name: "acme/api" };

/** Header values in place of the right ones; undefined leaves a header out. */
export interface GitHubSending {
  type?: string;
  deliveryId?: string;
  secret?: string;
  headers?: Record<string, string | undefined>;
}

/** An Integration with GitHub for the Repository `api`. */
export function makeGitHubIntegration(world: World, github: object = {}, spec: object = {}): Promise<Integration> {
  return world.makeIntegration({
    type: "GitHub",
    linear: undefined,
    access: undefined,
    github: {
      appID: world.github.app.id,
      slug: world.github.app.slug,
      installationID: world.github.installation.id,
      repositories: [{ name: "api" }],
      ...github,
    },
    ...spec,
  });
}

/** Sends what GitHub sends. */
export async function sendGitHub(
  world: World,
  integration: Integration,
  body: object | string | Buffer,
  { type = "issue_comment", deliveryId = randomUUID(), secret = signingSecret, headers = {} }: GitHubSending = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const sent: Record<string, string | undefined> = {
    ...githubHeaders(bytes, { type, deliveryId, secret }),
    ...headers,
  };
  const path = `/integrations/${world.namespace}.${integration.metadata.name ?? ""}/github`;
  const known = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await fetch(`${world.url}${path}`, { method: "POST", headers: known, body: new Uint8Array(bytes) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

let numbers = 0;

/** An issue, or a pull request where `pull` is given, of a number that no other has. */
export function openIssue(
  world: Pick<World, "github">,
  pull?: { head: string; base: string; headRepository: string },
): number {
  numbers += 1;
  world.github.issues.push({
    repository: repository.name,
    number: numbers,
    title: "The login fails",
    body: "It says 500.",
    ...(pull && { pull }),
  });
  return numbers;
}

/** A person's comment, and the event that GitHub sends of it. */
export function comment(
  world: Pick<World, "github">,
  number: number,
  body: string,
  rest: { user?: { id: number; login: string }; review?: GitHubComment["review"]; change?: object } = {},
): { id: number; event: Record<string, unknown>; type: string } {
  const { user = ann, review, change = {} } = rest;
  const id = world.github.say({ repository: repository.name, number, body, user, ...(review && { review }) });
  const { pull } = world.github.issues.find((one) => one.number === number) ?? {};
  const event = {
    action: "created",
    installation: { id: world.github.installation.id },
    repository: { id: repository.id, full_name: repository.name },
    ...(review ? { pull_request: { number } } : { issue: { number, ...(pull && { pull_request: {} }) } }),
    comment: { id, body, user: { ...user, type: "User" } },
    sender: { ...user, type: "User" },
    ...change,
  };
  return { id, event, type: review ? "pull_request_review_comment" : "issue_comment" };
}

export function subjectOf(number: number): string {
  return `issue/${repository.id}/${number}`;
}

/** Sends an event and waits until it was handled. */
export async function handled(
  world: World,
  integration: Integration,
  { event, type }: { event: object; type: string },
): Promise<IntegrationEvent> {
  const deliveryId = randomUUID();
  const answer = await sendGitHub(world, integration, event, { type, deliveryId });
  if (answer.status !== 200 || answer.body.triggered !== 1) {
    throw new Error(`the ingress answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  return world.settledEvent(integration, deliveryId);
}

/** What the App has said at an issue. */
export function saidAt(world: Pick<World, "github">, number: number): GitHubComment[] {
  return world.github.comments.filter((one) => one.number === number && one.user.login === "helper[bot]");
}

import { describe, expect, it } from "vitest";

import gitHubExamples from "@octokit/webhooks-examples";

import type { Automation, AutomationSpec, Integration, Repository } from "../../api/v1alpha1/index.ts";
import { anAutomation, aRepository } from "../../../test/support/builders.ts";
import { explainGitHub } from "./explain-github.ts";

const examples = gitHubExamples as unknown as typeof gitHubExamples.default;

/** An event that GitHub publishes as an example. */
function example(type: string, action: string): { type: string; body: Buffer; value: Record<string, unknown> } {
  const found = examples.find(({ name }) => name === type)?.examples as unknown as
    Record<string, unknown>[] | undefined;
  const value = found?.find((one) => one.action === action);
  if (!value) throw new Error(`there is no example of ${type}.${action}`);
  return { type, body: Buffer.from(JSON.stringify(value)), value };
}

const opened = example("issues", "opened");

function automation(github: object = {}, spec: Partial<AutomationSpec> = {}): Automation {
  return anAutomation({
    metadata: { name: "fix", namespace: "demo", uid: "u1" },
    spec: {
      targets: [{ repositoryRef: { name: "hello" } }],
      trigger: {
        type: "GitHub",
        github: { integrationRef: { name: "host" }, events: ["IssueOpened"], ...github },
      } as Automation["spec"]["trigger"],
      ...spec,
    },
  });
}

function integrationOf(installationID: number): Integration {
  return { metadata: { name: "host" }, spec: { type: "GitHub", github: { slug: "helper", installationID } } } as never;
}

const repositoryAt = (url: string): Repository => aRepository("hello", { spec: { url } });
const itself = repositoryAt("https://github.com/codertocat/hello-world.git");

describe("an event of GitHub's", () => {
  it("would start a Run, where GitHub says that its cause may write", () => {
    const { decision, message, idempotencyKey, runName } = explainGitHub(automation(), opened, { repository: itself });
    expect([decision, message]).toEqual([
      "Started",
      "The event is IssueOpened; a Run would start, if GitHub says that Codertocat may write to Codertocat/Hello-World",
    ]);
    expect(idempotencyKey).toMatch(/^repository \d+ issue 1 opened$/);
    expect(runName).toMatch(/^fix-[a-z2-7]{26}$/);
  });

  it("of anyone needs no such answer", () => {
    expect(explainGitHub(automation({ from: "Anyone" }), opened, {}).message).toBe(
      "The event is IssueOpened; a Run would start",
    );
  });

  it.each<{ what: string; of: Automation; given?: Parameters<typeof explainGitHub>[2]; event?: object; says: string }>([
    {
      what: "of another type",
      of: automation({ events: ["IssueLabeled", "PullRequestOpened"] }),
      says: "The event is issues.opened, but must be one of IssueLabeled (issues.labeled), PullRequestOpened",
    },
    { what: "that a filter excludes", of: automation({ labels: ["other"] }), says: "label" },
    {
      what: "of another repository",
      of: automation(),
      given: { repository: repositoryAt("git@github.com:acme/api.git") },
      says: "its target is Repository hello, which is acme/api, and the event is about Codertocat/Hello-World",
    },
    {
      what: "of another installation",
      of: automation(),
      given: { integration: integrationOf(7) },
      event: { installation: { id: 5 } },
      says: "The event is of installation 5, and Integration host is for 7",
    },
    {
      what: "of no installation",
      of: automation(),
      given: { integration: integrationOf(7) },
      says: "The event is of no installation",
    },
  ])("$what is filtered", ({ of, given = {}, event = {}, says }) => {
    const body = Buffer.from(JSON.stringify({ ...opened.value, installation: undefined, ...event }));
    const explained = explainGitHub(of, { type: "issues", body }, given);
    expect(explained.decision).toBe("Filtered");
    expect(explained.message).toContain(says);
  });

  it("starts nothing while the automation is paused", () => {
    expect(explainGitHub(automation({}, { suspend: true }), opened, {}).decision).toBe("Paused");
  });

  it.each([
    ["no JSON", Buffer.from("nope"), "InvalidPayload"],
    ["no event", Buffer.from("{}"), "InvalidPayload"],
    ["more than 4 MiB", Buffer.alloc(4_194_305, 32), "PayloadTooLarge"],
  ])("that is %s is refused", (_, body, decision) => {
    expect(explainGitHub(automation(), { type: "issues", body }, {}).decision).toBe(decision);
  });

  it("needs the header with its type", () => {
    expect(() => explainGitHub(automation(), { ...opened, type: undefined }, {})).toThrow(
      "X-GitHub-Event: pull_request",
    );
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { Integration, type Prompt } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import type { GitHubFault } from "../../support/github-model.ts";
import { until } from "../../support/kube.ts";
import { comment, handled, makeGitHubIntegration, openIssue, saidAt, sendGitHub, subjectOf } from "./github-world.ts";
import { answerPrompt, promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  await world.startConnector();
  integration = await makeGitHubIntegration(world);
});
afterAll(() => world.close());
afterEach(() => {
  world.github.fault = undefined;
  expect(world.github.leaked).toEqual([]);
});

/** A mention up to its prompt. */
async function asked(): Promise<{ number: number; prompt: Prompt }> {
  const number = openIssue(world);
  await handled(world, integration, comment(world, number, "@helper fix it"));
  const [prompt] = await promptsOf(world, subjectOf(number));
  await until("the start is shown", async () => {
    const posts = (await world.conversation(subjectOf(number)))?.status?.posts ?? [];
    return posts.some(({ kind, progress }) => kind === "Started" && progress === "Sent");
  });
  return { number, prompt: prompt! };
}

const isComment = (number: number) => (route: string) => route.startsWith(`POST /repos/acme/api/issues/${number}/comm`);

/** One call of a route fails, the next ones do not. */
function failOnce(fault: GitHubFault, matches: (route: string) => boolean): void {
  let isOver = false;
  world.github.fault = (route) => {
    if (isOver || !matches(route)) return undefined;
    isOver = true;
    return fault;
  };
}

describe("an answer", () => {
  it.each(["lose", "drop", "error", "throttle", "unauthorized"] as const)(
    "is posted once after a call that GitHub met with: %s",
    async (fault) => {
      const { number, prompt } = await asked();
      failOnce(fault, isComment(number));
      await answerPrompt(world, prompt, "Done it.");
      const sent = async (): Promise<boolean> => {
        const posts = (await world.conversation(subjectOf(number)))?.status?.posts ?? [];
        return posts.some(({ kind, progress }) => kind === "Answer" && progress === "Sent");
      };
      await until("the answer is sent", sent);
      expect(saidAt(world, number)).toHaveLength(1);
    },
  );

  it("is given up at once where GitHub refuses it", async () => {
    const { number, prompt } = await asked();
    failOnce("refuse", isComment(number));
    await answerPrompt(world, prompt, "Done it.");
    const post = async () =>
      (await world.conversation(subjectOf(number)))?.status?.posts?.find(({ kind }) => kind === "Answer");
    await until("it is given up", async () => (await post())?.progress === "GivenUp");
    expect((await post())?.problem).toBe("GitHub answered create-comment with 403");
  });

  it("that may be there is not posted where the search for it fails", async () => {
    const { number, prompt } = await asked();
    let isLost = false;
    world.github.fault = (route) => {
      if (isComment(number)(route) && !isLost) {
        isLost = true;
        return "lose";
      }
      return isLost && route.startsWith(`GET /repos/acme/api/issues/${number}/comments`) ? "refuse" : undefined;
    };
    await answerPrompt(world, prompt, "Done it.");
    const post = async () =>
      (await world.conversation(subjectOf(number)))?.status?.posts?.find(({ kind }) => kind === "Answer");
    await until("it is given up", async () => (await post())?.progress === "GivenUp");
    expect(saidAt(world, number)).toHaveLength(1);
  });

  it("of an agent's longest text is taken by GitHub", async () => {
    const { number, prompt } = await asked();
    await answerPrompt(world, prompt, "@a".repeat(2_048));
    await until("it is shown", () => saidAt(world, number).length === 1);
    expect(world.github.refused).toEqual([]);
  });
});

describe("a request", () => {
  it.each(["drop", "html", "error", "throttle"] as const)("waits while GitHub gives: %s", async (fault) => {
    const number = openIssue(world);
    failOnce(fault, (route) => route === `GET /repos/acme/api/issues/${number}`);
    const event = await handled(world, integration, comment(world, number, "@helper fix it"));
    expect(event.status).toMatchObject({ triggered: 1 });
  });

  it.each(["redirect", "refuse"] as const)(
    "whose person's permission cannot be read starts nothing: %s",
    async (fault) => {
      const number = openIssue(world);
      failOnce(fault, (route) => route.includes("/collaborators/"));
      const event = await handled(world, integration, comment(world, number, "@helper fix it"));
      expect(event.status).toMatchObject({ triggered: 0, skipped: 1 });
      expect(saidAt(world, number)).toEqual([]);
    },
  );

  it("of one Integration does not wait for another whose App was removed", async () => {
    const other = await makeGitHubIntegration(world, { installationID: 99 });
    const stuck = comment(world, openIssue(world), "@helper fix it");
    await sendGitHub(world, other, { ...stuck.event, installation: { id: 99 } });
    const event = await handled(world, integration, comment(world, openIssue(world), "@helper fix it"));
    expect(event.status).toMatchObject({ triggered: 1 });
    const connection = async () =>
      (await world.client.get(Integration, { namespace: world.namespace, name: other.metadata.name ?? "" })).status
        ?.connection;
    await until("its Integration says so", async () => (await connection())?.reason === "CredentialsRefused").catch(
      async (error: unknown) => {
        const key = { namespace: world.namespace, name: other.metadata.name ?? "" };
        const { status } = await world.client.get(Integration, key);
        throw new Error(`${String(error)}; it says ${JSON.stringify(status)}`);
      },
    );
    expect((await connection())?.message).toMatch(
      /^GitHub answered (create-token|read-installation) with 404: the App is not installed there, is suspended, or lacks a permission$/,
    );
  });

  it("with what is no key says so, and not the key", async () => {
    const other = await makeGitHubIntegration(world);
    const name = other.metadata.name ?? "";
    const data = { "private-key": Buffer.from("planted-no-key").toString("base64") };
    await world.client.patch(secrets, { namespace: world.namespace, name: `${name}-app` }, { data });
    await world.touch(other);
    await until("it is copied", async () => {
      const { items } = await world.client.list(secrets, { namespace: world.tokensNamespace });
      return items.some((secret) => secret.data?.["private-key"] === data["private-key"]);
    });
    await sendGitHub(world, other, comment(world, openIssue(world), "@helper fix it").event);
    const connection = async () =>
      (await world.client.get(Integration, { namespace: world.namespace, name })).status?.connection;
    await until("its Integration says so", async () => (await connection())?.reason === "CredentialsRefused");
    expect((await connection())?.message).toBe("The Integration's private-key is no private RSA key in PEM form");
  });
});

import { createHmac, randomUUID } from "node:crypto";

import gitHubExamples from "@octokit/webhooks-examples";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { until } from "../../support/kube.ts";
import { ann, comment, type GitHubSending, makeGitHubIntegration, openIssue, sendGitHub } from "./github-world.ts";
import { signingSecret, World } from "./world.ts";

// The package is a JSON file, whose types say that it is a module.
const examples = gitHubExamples as unknown as typeof gitHubExamples.default;

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world);
});
afterAll(() => world.close());
beforeEach(() => {
  world.ingressProxy.seen.splice(0);
});

const writes = (): unknown[] =>
  world.ingressProxy.seen.filter(({ isWrite, path }) => isWrite && !path.includes("deliverylogs"));
const asked = (): Record<string, unknown> => comment(world, openIssue(world), "@helper fix it").event;
const send = (body: object | string | Buffer, sending: GitHubSending = {}) =>
  sendGitHub(world, integration, body, sending);
const signed = (body: string, secret = signingSecret): string =>
  createHmac("sha256", secret).update(body).digest("hex");

describe("a signature", () => {
  it.each([
    { name: "none", headers: () => ({ "x-hub-signature-256": undefined }) },
    { name: "an empty one", headers: () => ({ "x-hub-signature-256": "" }) },
    { name: "half of it", headers: (body: string) => ({ "x-hub-signature-256": `sha256=${signed(body).slice(32)}` }) },
    { name: "no prefix", headers: (body: string) => ({ "x-hub-signature-256": signed(body) }) },
    { name: "another version", headers: (body: string) => ({ "x-hub-signature-256": `v1=${signed(body)}` }) },
    {
      name: "GitHub's old header alone",
      headers: (body: string) => ({
        "x-hub-signature-256": undefined,
        "x-hub-signature": `sha1=${createHmac("sha1", signingSecret).update(body).digest("hex")}`,
      }),
    },
    { name: "another secret's", headers: (body: string) => ({ "x-hub-signature-256": `sha256=${signed(body, "x")}` }) },
    {
      name: "that of a body with a line break",
      headers: (body: string) => ({ "x-hub-signature-256": `sha256=${signed(`${body}\n`)}` }),
    },
  ])("that is $name is answered 401", async ({ headers }) => {
    const body = JSON.stringify(asked());
    expect(await send(body, { headers: headers(body) })).toMatchObject({ status: 401 });
    expect(writes()).toEqual([]);
  });

  it("of the secret before is valid until that is removed", async () => {
    const own = await makeGitHubIntegration(world);
    const source = { namespace: world.namespace, name: `${own.metadata.name ?? ""}-signing` };
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const data = { "signing-secret": base64("planted-later-secret"), "previous-signing-secret": base64(signingSecret) };
    await world.client.patch(secrets, source, { data });
    await world.touch(own);
    const statusWith = async (secret: string): Promise<number> =>
      (await sendGitHub(world, own, asked(), { secret })).status;
    await until("the new secret is valid", async () => (await statusWith("planted-later-secret")) === 200);
    expect(await statusWith(signingSecret)).toBe(200);
    await world.client.patch(secrets, source, { data: { "previous-signing-secret": null } });
    await world.touch(own);
    await until("the old secret is valid no more", async () => (await statusWith(signingSecret)) === 401);
    expect(await statusWith("planted-later-secret")).toBe(200);
  });
});

describe("a request", () => {
  it.each([
    { name: "no JSON", body: () => "nope", status: 400 },
    { name: "no event", body: () => ({}), status: 400 },
    { name: "a comment without a number", body: () => ({ ...asked(), comment: { body: "@helper" } }), status: 400 },
    { name: "of no type", body: asked, status: 400, headers: { "x-github-event": undefined } },
    {
      name: "of a delivery with a long id",
      body: asked,
      status: 400,
      headers: { "x-github-delivery": "d".repeat(201) },
    },
    { name: "of another installation", body: () => ({ ...asked(), installation: { id: 5 } }), status: 403 },
    { name: "of no installation", body: () => ({ ...asked(), installation: undefined }), status: 400 },
  ])("that is $name is answered $status", async ({ body, status, headers = {} }) => {
    expect(await send(body(), { headers })).toMatchObject({ status });
    expect(writes()).toEqual([]);
  });

  const said = (body: string, rest: object = {}): object => comment(world, openIssue(world), body, rest).event;
  const bot = { id: 1, login: "helper[bot]", type: "Bot" };
  it.each([
    { name: "a comment without a mention", body: () => said("fix it") },
    { name: "a mention of a name that begins like ours", body: () => said("@helperbot fix it") },
    { name: "a comment that was changed", body: () => said("@helper fix it", { change: { action: "edited" } }) },
    { name: "a comment that was deleted", body: () => said("@helper fix it", { change: { action: "deleted" } }) },
    {
      name: "a comment of the App itself",
      body: () => said("@helper", { change: { comment: { id: 1, body: "@helper fix it", user: bot } } }),
    },
    {
      name: "a comment of a person who is gone",
      body: () => said("@helper", { change: { comment: { id: 1, body: "@helper fix it", user: null } } }),
    },
  ])("$name is dropped before any write", async ({ body }) => {
    expect(await send(body())).toMatchObject({ status: 200, body: { triggered: 0, skipped: 0 } });
    expect(writes()).toEqual([]);
    expect(world.answers.at(-1)).toMatchObject({ outcome: "unmatched" });
  });

  it("is stored by one write with ids alone, and once however often it is delivered", async () => {
    const number = openIssue(world);
    const { id, event } = comment(world, number, "@helper fix it");
    const deliveryId = randomUUID();
    expect(await send(event, { deliveryId })).toMatchObject({ status: 200, body: { triggered: 1 } });
    expect(writes()).toHaveLength(1);
    const again = await Promise.all([1, 2].map(() => send(event, { deliveryId })));
    for (const one of again) expect(one).toMatchObject({ status: 200, body: { triggered: 0, skipped: 1 } });
    const kept = (await world.events(integration)).find(({ spec }) => spec.deliveryID === deliveryId);
    expect(kept?.spec.github).toEqual({
      action: "Asked",
      repository: { id: 22, name: "acme/api" },
      number,
      subjectType: "Issue",
      commentID: id,
      commentType: "Comment",
      actor: ann,
    });
  });

  it("is read from a form, whose signature is of the form", async () => {
    const form = new URLSearchParams({ payload: JSON.stringify(asked()) }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect(await send(form, { headers })).toMatchObject({ status: 200, body: { triggered: 1 } });
    expect(await send("pay=%7B%7D", { headers })).toMatchObject({ status: 400 });
  });

  it("without a delivery's id is known by its bytes", async () => {
    const event = asked();
    const headers = { "x-github-delivery": undefined };
    expect(await send(event, { headers })).toMatchObject({ status: 200, body: { triggered: 1 } });
    expect(await send(event, { headers })).toMatchObject({ status: 200, body: { triggered: 0, skipped: 1 } });
  });

  it("of GitHub's is none of Slack's", async () => {
    const linear = await world.makeIntegration();
    expect(await sendGitHub(world, linear, asked())).toMatchObject({ status: 404 });
  });
});

describe("a body", () => {
  const padded = (bytes: number): Buffer => {
    const body = JSON.stringify({ ...asked(), padding: "" });
    return Buffer.from(body.replace('"padding":""', `"padding":"${"x".repeat(bytes - body.length)}"`));
  };

  it.each([
    { name: "25 MiB, of a type that is not handled", bytes: 26_214_400, type: "push", status: 200 },
    { name: "25 MiB and a byte", bytes: 26_214_401, type: "push", status: 413 },
    { name: "4 MiB, of a comment", bytes: 4_194_304, type: "issue_comment", status: 200 },
    { name: "4 MiB and a byte, of a comment", bytes: 4_194_305, type: "issue_comment", status: 413 },
  ])("of $name is answered $status", async ({ bytes, type, status }) => {
    expect(await send(padded(bytes), { type })).toMatchObject({ status });
  });

  it("of 25 MiB that is not signed is answered 401", async () => {
    expect(await send(padded(26_214_400), { secret: "other" })).toMatchObject({ status: 401 });
  });
});

describe("a recorded payload", () => {
  const all = examples.flatMap(({ name, examples: payloads }) =>
    payloads.map((payload, index) => ({ name, index, payload })),
  );
  const types = ["ping", "push", "issue_comment", "pull_request_review_comment", "pull_request", "check_run"];

  it.each(all.filter(({ name }) => types.includes(name)))("of $name ($index) mentions no one", async (example) => {
    const payload = { ...example.payload, installation: { id: world.github.installation.id } };
    expect(await send(payload, { type: example.name })).toMatchObject({ status: 200, body: { triggered: 0 } });
    expect(writes()).toEqual([]);
  });

  it.each(
    all.filter(({ name, payload }) => {
      const isReview = name === "pull_request_review" && "action" in payload && payload.action === "submitted";
      return isReview || (name === "pull_request" && "action" in payload && payload.action === "closed");
    }),
  )("of $name ($index) is kept where pull requests are opened", async ({ name, payload }) => {
    const own = await makeGitHubIntegration(world, { pullRequests: "Draft" });
    const body = { ...payload, installation: { id: world.github.installation.id } };
    expect(await sendGitHub(world, own, body, { type: name })).toMatchObject({ status: 200, body: { triggered: 1 } });
    const {
      repository,
      pull_request: pull,
      review,
    } = payload as unknown as {
      repository: { id: number; full_name: string };
      pull_request: { number: number };
      review?: { id: number };
    };
    expect((await world.events(own)).map(({ spec }) => spec.github)).toEqual([
      {
        action: review ? "Reviewed" : "Changed",
        repository: { id: repository.id, name: repository.full_name },
        number: pull.number,
        subjectType: "PullRequest",
        ...(review && { reviewID: review.id }),
      },
    ]);
    expect(await send(body, { type: name })).toMatchObject({ status: 200, body: { triggered: 0 } });
  });

  it.each(
    all.filter(
      ({ name, payload }) =>
        ["issue_comment", "pull_request_review_comment"].includes(name) &&
        "action" in payload &&
        payload.action === "created",
    ),
  )("of $name ($index) is kept where it mentions the App", async ({ name, payload }) => {
    const { comment: said } = payload as { comment: { id: number } };
    const mention = { ...said, body: "@helper, please" };
    const body = { ...payload, comment: mention, installation: { id: world.github.installation.id } };
    const deliveryId = randomUUID();
    expect(await send(body, { type: name, deliveryId })).toMatchObject({ status: 200, body: { triggered: 1 } });
    const kept = (await world.events(integration)).find(({ spec }) => spec.deliveryID === deliveryId);
    expect(kept?.spec.github).toMatchObject({
      commentID: said.id,
      repository: { name: "Codertocat/Hello-World" },
      actor: { login: "Codertocat" },
    });
  });
});

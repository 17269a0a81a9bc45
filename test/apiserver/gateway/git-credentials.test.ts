import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

import type { GitHubAppAccess } from "../../../src/api/runtime/github-apps.ts";
import { sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import { type GitHubApi, startGitHubApi } from "../../support/github-api.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";
import {
  ask,
  openSandboxWorkWorld,
  type SandboxWorkWorld,
  shell,
  type StartedSandbox,
} from "../../support/sandbox-work-world.ts";
import { sshKeyPair, sshKeyPairOf } from "../../support/ssh-key-pair.ts";
import { type SshGitServer, startSshGitServer } from "../../support/ssh-git-server.ts";

// Each starts two processes and git, which on a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000 });

const appKey = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privateKey = appKey.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

let work: SandboxWorkWorld;
let github: GitHubApi;
/** The one password that the git server takes; undefined: the newest token, so that a client which keeps an old one too long is refused. */
let accepted: string | undefined;

beforeAll(async () => {
  const apiURLs: string[] = [];
  const password = (): string | undefined => accepted ?? github.tokens.at(-1);
  work = await openSandboxWorkWorld({ username: "x-access-token", password }, { github: { apiURLs } });
  const publicKey = appKey.publicKey.export({ type: "spki", format: "pem" }).toString();
  github = await startGitHubApi({ certificate: work.world.tls, app: { id: 12, installation: 345, publicKey } });
  apiURLs.push(github.url);
});
afterAll(async () => {
  await work.close();
  await github.close();
});

async function bootFailure(one: StartedSandbox): Promise<string> {
  const { message } = JSON.parse(await one.sandbox.noted("boot-failure")) as { message: string };
  return message;
}

/** Whether the agent's push has reached the repository. */
async function isPushed(name: string): Promise<boolean> {
  return (await work.git.git(name, "for-each-ref", "refs/heads/done")) !== "";
}

const failed = { conditions: [{ type: "Succeeded", status: "False", reason: "Failed" }, { type: "Stalled" }] };
const push =
  "git fetch --quiet && git commit --quiet --allow-empty -m x && git push --quiet origin HEAD:refs/heads/done";

describe("a GitHub App", () => {
  async function aRepository(name: string, change: Partial<GitHubAppAccess> = {}) {
    const url = await work.git.addRepository(`acme/${name}`, { "a.txt": "a" });
    const entry = { name, url, branch: "main", caCertificates: work.world.ca, mintsCredential: true as const };
    const access: GitHubAppAccess = {
      name,
      apiURL: github.url,
      owner: "acme",
      repository: name,
      appID: 12,
      permissions: { contents: "write" },
      privateKey,
      caCertificates: work.world.ca,
      ...change,
    };
    return { entry, access };
  }

  it("gives git a token each time that the last one nears its end, and no log and no summary shows one", async () => {
    github.lifetimeSeconds = 300;
    github.answers = [{ status: 502, body: {} }];
    const { entry, access } = await aRepository("expiring");
    const before = github.tokens.length;
    const agent = shell(`${push}; printf 'url=%s\\n\\n' "$(git remote get-url origin)" | git credential fill`);
    const one = await work.launch({ bundle: { repositories: [entry], agent }, githubApps: [access] });
    const status = await ask(one);
    github.lifetimeSeconds = 3_600;
    expect(status).toMatchObject({ conditions: [{ status: "True" }], result: { branch: "done" } });
    const { summary } = status.result as { summary: string };
    expect(summary).toContain("password=***");
    // The clone, the fetch, the push and the agent's own question at least.
    expect(github.tokens.length - before).toBeGreaterThanOrEqual(4);
    expect(one.processes.output() + work.gateway.logs.join("")).not.toMatch(/planted|PRIVATE KEY|ghs_/);
  });

  it("asks once for as long as a token is good", async () => {
    const { entry, access } = await aRepository("lasting");
    const before = github.tokens.length;
    const one = await work.launch({ bundle: { repositories: [entry], agent: shell(push) }, githubApps: [access] });
    expect(await ask(one)).toMatchObject({ result: { branch: "done" } });
    expect(github.tokens.length - before).toBe(1);
  });

  it("ends the clone with the reason when GitHub refuses, and tells nothing of the key", async () => {
    const { entry, access } = await aRepository("refused", { installationID: 999 });
    const message = await bootFailure(await work.launch({ bundle: { repositories: [entry] }, githubApps: [access] }));
    expect(message).toContain(`no token of GitHub App 12 for acme/refused from ${github.url}: it answered 404`);
    expect(message).not.toMatch(/PRIVATE KEY|eyJ|ghs_/);
  });

  it("ends at once at GitHub when its installation is suspended, for sandboxes that have a token and for others", async () => {
    const { entry, access } = await aRepository("suspended");
    const options = { bundle: { repositories: [entry], agent: shell(push) }, githubApps: [access] };
    const working = await work.launch(options);
    await working.sandbox.noted("ready-time");
    // GitHub takes the tokens of a suspended installation no more.
    [github.isSuspended, accepted] = [true, "none"];
    onTestFinished(() => void ([github.isSuspended, accepted] = [false, undefined]));
    expect(await ask(working)).toMatchObject(failed);
    expect(await isPushed("acme/suspended")).toBe(false);
    expect(await bootFailure(await work.launch(options))).toContain("This installation has been suspended");
  });

  it("keeps its key to itself, and mints for the session's own repositories alone", async () => {
    const { entry, access } = await aRepository("fenced");
    const options = { bundle: { repositories: [entry] }, githubApps: [access] };
    const [own, other] = await Promise.all([makeSandbox(work.world, options), makeSandbox(work.world)]);
    const peer = await RuntimePeer.connect(work.world, work.gateway, own);
    peer.send({ type: "hello", protocol: 1, needsBundle: true, openPrompts: [] });
    await peer.next("bundle");
    expect(JSON.stringify(peer.heard)).toContain("mintsCredential");
    expect(JSON.stringify(peer.heard)).not.toContain("PRIVATE KEY");
    peer.close();

    const dispatcher = new Agent({ connect: { ca: work.world.ca } });
    const wants = async (sandbox: SandboxFixture, token: string, body: object | string) => {
      const path = `${sandboxPath(sandbox.sessionUid, sandbox.attempt)}/credentials`;
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const headers = { authorization: `Bearer ${token}` };
      const url = `${work.gateway.sandboxUrl.replace("wss:", "https:")}${path}`;
      const answer = await request(url, { method: "POST", headers, body: text, dispatcher });
      return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
    };
    const token = await own.token();
    expect(await wants(own, token, { repository: "fenced" })).toMatchObject({
      status: 200,
      body: { usableSeconds: 1_800 },
    });
    expect(await wants(own, token, { repository: "lasting" })).toMatchObject({ status: 404 });
    expect(await wants(other, await other.token(), { repository: "fenced" })).toMatchObject({ status: 404 });
    expect(await wants(own, await other.token(), { repository: "fenced" })).toMatchObject({ status: 403 });
    expect(await wants(own, token, { repository: 1 })).toMatchObject({ status: 400 });
    expect(await wants(own, token, "{".repeat(1_025))).toMatchObject({ status: 413 });
    // One of the twenty was minted above.
    const minted = [];
    for (let count = 0; count < 20; count += 1) minted.push((await wants(own, token, { repository: "fenced" })).status);
    expect(minted).toEqual([...Array.from({ length: 19 }, () => 200), 429]);
    await dispatcher.close();
  });
});

it("works no more with a password from when its git server takes another, and a new session has the new one", async () => {
  const url = await work.git.addRepository("revoked", { "a.txt": "a" });
  const launch = (password: string): Promise<StartedSandbox> => {
    const credential = { username: "x-access-token", password };
    const entry = { name: "revoked", url, branch: "main", credential, caCertificates: work.world.ca };
    return work.launch({ bundle: { repositories: [entry], agent: shell(push) } });
  };
  accepted = "first";
  onTestFinished(() => void (accepted = undefined));
  const working = await launch("first");
  await working.sandbox.noted("ready-time");
  accepted = "second";
  expect(await ask(working)).toMatchObject(failed);
  expect(await isPushed("revoked")).toBe(false);
  expect(await ask(await launch("second"))).toMatchObject({ result: { branch: "done" } });
  expect(await isPushed("revoked")).toBe(true);
});

describe("an SSH key", () => {
  let server: SshGitServer;
  beforeAll(async () => {
    server = await startSshGitServer(work.git.root);
  });
  afterAll(() => server.close());

  async function aRepository(name: string, keyType: "ed25519" | "ecdsa" | "rsa" = "ed25519") {
    await work.git.addRepository(name, { "a.txt": name });
    const pair = sshKeyPairOf(keyType);
    server.authorize(name, pair.public);
    const sshKey = { privateKey: pair.private, knownHosts: server.knownHosts };
    return { name, url: `ssh://git@127.0.0.1:${server.port}/${name}.git`, branch: "main", sshKey };
  }

  it("signs in to its own repository, of which one server may have several, and cannot be read", async () => {
    const repositories = await Promise.all([
      aRepository("one"),
      aRepository("two", "ecdsa"),
      aRepository("three", "rsa"),
    ]);
    const search = "grep --recursive --files-with-matches 'PRIVATE KEY' .. ~ || echo none";
    const change = "ssh-add -D 2>&1; ssh-add -L | wc -l";
    const tries = `export SSH_AUTH_SOCK=$(git config core.sshCommand | sed "s/.*IdentityAgent=\\([^']*\\)'.*/\\1/")`;
    const agent = shell(
      `for name in one two three; do cd ../$name && cat a.txt && { ${push}; } || exit 1; done; ${search}; ${tries}; ${change}`,
    );
    const one = await work.launch({ bundle: { repositories, agent } });
    const status = await ask(one);
    expect(status).toMatchObject({ conditions: [{ status: "True" }] });
    const { summary } = status.result as { summary: string };
    expect(summary.replaceAll(/\s+/g, " ")).toMatch(/^onetwothree ?none .*1$/);
    for (const { name } of repositories) {
      expect(await work.git.git(name, "rev-parse", "--verify", "refs/heads/done")).toMatch(/^[0-9a-f]{40}/);
    }
    expect(await readFile(join(one.processes.home, ".gitconfig"), "utf8")).not.toContain("PRIVATE");
    expect(one.processes.output()).not.toContain("PRIVATE");
  });

  it("is not shown to a server that is not the known one", async () => {
    const repository = await aRepository("strange");
    const other = sshKeyPair().public;
    const knownHosts = `[127.0.0.1]:${server.port} ${other}`;
    const sshKey = { ...repository.sshKey, knownHosts };
    const message = await bootFailure(await work.launch({ bundle: { repositories: [{ ...repository, sshKey }] } }));
    expect(message).toContain("Host key verification failed");
  });

  it("ends the clone with the reason when the server does not take it", async () => {
    const repository = await aRepository("closed");
    const privateKey = sshKeyPair().private;
    const sshKey = { ...repository.sshKey, privateKey };
    const message = await bootFailure(await work.launch({ bundle: { repositories: [{ ...repository, sshKey }] } }));
    expect(message).toContain("git@127.0.0.1: Permission denied (publickey)");
  });
});

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ensurePki, readPem } from "../../../hack/lib/pki.ts";
import { freePorts } from "../../../hack/lib/ports.ts";
import { type GitHubApi, startGitHubApi } from "../../../test/support/github-api.ts";
import type { GitHubAppAccess } from "../../api/runtime/github-apps.ts";
import { systemClock as clock } from "../../lib/clock.ts";
import { TokenMint } from "./token-mint.ts";

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = (key: typeof pair.privateKey): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const never = new AbortController().signal;

let directory: string;
let github: GitHubApi;
let app: GitHubAppAccess;
let mint: TokenMint;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-github-"));
  await ensurePki(directory, [{ name: "github", subject: "/CN=github", extension: "subjectAltName=DNS:localhost" }]);
  const [ca, cert, key] = await Promise.all(
    ["ca.crt", "github.crt", "github.key"].map((file) => readPem(directory, file)),
  );
  const publicKey = pair.publicKey.export({ type: "spki", format: "pem" }).toString();
  github = await startGitHubApi({
    certificate: { cert: cert!, key: key! },
    app: { id: 12, installation: 345, publicKey },
  });
  mint = new TokenMint({ clock, apiURLs: [github.url] });
  app = {
    name: "shop",
    apiURL: github.url,
    owner: "acme",
    repository: "shop",
    appID: 12,
    permissions: { contents: "write" },
    privateKey: pem(pair.privateKey),
    caCertificates: ca!,
  };
});
afterAll(async () => {
  await github.close();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  github.answers = [];
  github.skewMs = 0;
  github.lifetimeSeconds = 3_600;
});

const failure = (wanted: GitHubAppAccess, signal = never, from = mint) =>
  from.mint(wanted, "shop", signal).then(
    () => undefined,
    (error: unknown) => {
      const { status, message } = error as { status: number; message: string };
      return { status, message };
    },
  );

it("has a token made for the one repository with the permissions that are wanted and no other", async () => {
  const before = github.seen.length;
  const { username, password, usableSeconds } = await mint.mint(app, "shop", never);
  expect({ username, password, usableSeconds }).toEqual({
    username: "x-access-token",
    password: github.tokens.at(-1),
    usableSeconds: 1_800,
  });
  expect(github.seen.slice(before)).toEqual([
    { route: "GET /repos/acme/shop/installation", body: {} },
    {
      route: "POST /app/installations/345/access_tokens",
      body: { repositories: ["shop"], permissions: { contents: "write" } },
    },
  ]);
});

it("does not look up the installation when its ID is given", async () => {
  const before = github.seen.length;
  await mint.mint({ ...app, installationID: 345 }, "shop", never);
  expect(github.seen.slice(before)).toMatchObject([{ route: "POST /app/installations/345/access_tokens" }]);
});

it.each([
  { lifetimeSeconds: 3_600, skewMs: 0, want: [1_800, 1_800] },
  { lifetimeSeconds: 600, skewMs: 0, want: [298, 300] },
  { lifetimeSeconds: 300, skewMs: 0, want: [0, 0] },
  { lifetimeSeconds: 600, skewMs: 7_200_000, want: [298, 300] },
  { lifetimeSeconds: 600, skewMs: -7_200_000, want: [298, 300] },
])(
  "lets a token of $lifetimeSeconds s be used until 5 min before its end by GitHub's clock, $skewMs ms ahead",
  async (row) => {
    Object.assign(github, { skewMs: row.skewMs, lifetimeSeconds: row.lifetimeSeconds });
    const { usableSeconds } = await mint.mint(app, "shop", never);
    expect(usableSeconds).toBeGreaterThanOrEqual(row.want[0]!);
    expect(usableSeconds).toBeLessThanOrEqual(row.want[1]!);
  },
);

it("never gives one App the token of another that asks for the same at once", async () => {
  const other = pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
  const [own, foreign] = await Promise.all([
    mint.mint({ ...app, installationID: 345 }, "shop", never),
    failure({ ...app, installationID: 345, privateKey: other }),
  ]);
  expect(own.password).toBe(github.tokens.at(-1));
  expect(foreign).toMatchObject({ status: 422 });
});

const documentation_url = "https://docs.github.com/rest";
it.each([
  {
    name: "not installed",
    answer: { status: 404, body: { message: "Not Found" } },
    want: 422,
    says: "answered 404: the App is not installed",
  },
  {
    name: "a wrong key",
    answer: { status: 401, body: { message: "A JSON web token could not be decoded" } },
    want: 422,
    says: "answered 401: appID and private key do not belong together",
  },
  {
    name: "suspended",
    answer: { status: 403, body: { message: "This installation has been suspended" } },
    want: 422,
    says: "answered 403: the installation is suspended, or the App may not do this; GitHub says: This installation has been suspended",
  },
  {
    name: "a permission that it lacks",
    answer: {
      status: 422,
      body: { message: "The permissions requested are not granted to this installation.", documentation_url },
    },
    want: 422,
    says: "GitHub says: The permissions requested are not granted to this installation.",
  },
  {
    name: "its rate limit",
    answer: { status: 403, body: { message: "API rate limit exceeded" }, headers: { "x-ratelimit-remaining": "0" } },
    want: 502,
    says: "answered 403",
  },
  {
    name: "a limit that its message alone names",
    answer: {
      status: 403,
      body: { message: "You have exceeded a secondary rate limit." },
      headers: { "x-ratelimit-remaining": "4812" },
    },
    want: 502,
    says: "answered 403",
  },
  {
    name: "too many requests",
    answer: { status: 429, body: {}, headers: { "retry-after": "60" } },
    want: 502,
    says: "answered 429",
  },
  { name: "an outage", answer: { status: 502, body: {} }, want: 502, says: "answered 502" },
  { name: "a lost connection", answer: "drop" as const, want: 502, says: "UND_ERR_SOCKET" },
])(
  "says what is wrong when GitHub has $name, at either request, and nothing of the key",
  async ({ answer, want, says }) => {
    for (const installationID of [undefined, 345]) {
      github.answers = [answer];
      const wanted = installationID === undefined ? app : { ...app, installationID };
      const found = await failure(wanted);
      expect(found).toMatchObject({ status: want });
      expect(found?.message).toContain(`no token of GitHub App 12 for acme/shop from ${github.url}: `);
      expect(found?.message).toContain(says);
      expect(found?.message).not.toMatch(/PRIVATE KEY|eyJ|ghs_/);
    }
  },
);

it("stops waiting for a GitHub that does not answer once the request is cancelled", async () => {
  github.answers = ["hang"];
  const stop = new AbortController();
  const found = failure(app, stop.signal);
  const before = github.seen.length;
  await expect.poll(() => github.seen.length, { timeout: 30_000 }).toBeGreaterThan(before);
  stop.abort();
  expect(await found).toMatchObject({
    status: 502,
    message: expect.stringContaining("did not answer in time") as string,
  });
});

it.each([
  ["an address where no process listens", () => freePorts(1), "ECONNREFUSED"],
  ["a server that it does not trust", () => [Number(new URL(github.url).port)], "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
])("reports %s", async (_name, ports, says) => {
  const [port = 0] = await ports();
  const apiURL = `https://localhost:${port}/api/v3`;
  mint = new TokenMint({ clock, apiURLs: [github.url, apiURL] });
  const { caCertificates, ...untrusting } = app;
  expect(caCertificates).toBeDefined();
  const found = await failure({ ...untrusting, apiURL });
  expect(found).toMatchObject({ status: 502, message: expect.stringContaining(says) as string });
});

it("sends requests only to the allowed servers, whatever a tenant names", async () => {
  const before = github.seen.length;
  const found = await failure(app, never, new TokenMint({ clock, apiURLs: ["https://api.github.com"] }));
  expect(found).toMatchObject({ status: 422, message: expect.stringContaining("is not allowed") as string });
  expect(github.seen).toHaveLength(before);
});

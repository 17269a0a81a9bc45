import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { ensurePki } from "../../../hack/lib/pki.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { isSigned } from "../../ingress/signature.ts";
import { openCluster, type ContextName } from "../cluster/cluster.ts";
import { commands } from "../commands.ts";
import { pauseMs } from "../gateway/ask-again.ts";
import { runCli } from "../run-cli.ts";

const key = "k".repeat(43);
const reviewPath = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const issued = { webhookApiKey: key, webhookUrl: "https://hooks.example.com/webhooks/automation/demo.alerts" };

interface Heard {
  path: string | undefined;
  authorization: string | undefined;
  signature?: unknown;
  body: unknown;
}

let directory: string;
let gateway: Server;
let apiServer: Server;
let heard: Heard[];
let answer: { status: number; body: unknown };
/** What comes before {@link answer}. */
let earlier: (typeof answer)[];
let api: Record<string, unknown>;

async function body(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}

async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  heard.push({ path: request.url, authorization: request.headers.authorization, body: await body(request) });
  const { status, body: said } = earlier.shift() ?? answer;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
}

/** Answers what the test put at a path, as an API server would. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization, "sentry-hook-signature": signature } = request.headers;
  heard.push({ path: request.url, authorization, signature, body: await body(request) });
  const found = api[request.url?.split("?")[0] ?? ""];
  const status = { kind: "Status", reason: "NotFound", message: "not found" };
  response.writeHead(found ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(found ?? status));
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-cli-"));
  await ensurePki(directory, [
    { name: "gateway", subject: "/CN=localhost", extension: "subjectAltName=DNS:localhost" },
  ]);
  const [cert, tlsKey] = await Promise.all(
    ["gateway.crt", "gateway.key"].map((file) => readFile(join(directory, file))),
  );
  gateway = createTlsServer({ cert, key: tlsKey }, (request, response) => void hear(request, response)).listen(0);
  apiServer = createServer((request, response) => void serve(request, response)).listen(0);
  await Promise.all([once(gateway, "listening"), once(apiServer, "listening")]);
  await writeKubeconfig("token", { token: "persons-token" });
  await writeKubeconfig("tokenless", {});
});
afterAll(async () => {
  gateway.close();
  apiServer.close();
  await rm(directory, { recursive: true, force: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
});
beforeEach(() => {
  heard = [];
  answer = { status: 200, body: issued };
  earlier = [];
  api = {};
});

async function writeKubeconfig(name: string, user: object): Promise<void> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    // Nothing but this flag lets the client talk plain HTTP.
    clusters: [
      { name: "c", cluster: { server: `http://127.0.0.1:${portOf(apiServer)}`, "insecure-skip-tls-verify": true } },
    ],
    users: [{ name: "u", user }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  await writeFile(join(directory, name), JSON.stringify(config));
}

/** Between two tries no time passes. */
const clock = {
  ...systemClock,
  setTimeout: (run: () => void, ms: number) => systemClock.setTimeout(run, ms === pauseMs ? 0 : ms),
};

interface Called {
  status: number;
  out: string;
  err: string;
}

async function call(...argv: string[]): Promise<Called> {
  const called: Called = { status: 0, out: "", err: "" };
  const io = {
    write: (text: string) => void (called.out += text),
    note: (line: string) => void (called.err += `${line}\n`),
    confirm: undefined,
  };
  called.status = await runCli(
    {
      commands,
      io,
      openCluster: (name: ContextName) => openCluster(systemClock, name),
      clock,
      random: systemRandom,
      page: () => [],
    },
    argv,
  );
  return called;
}

/** With flags that reach the servers of this test, and the kubeconfig's own token unless `flags` name an account. */
function callKey(action: string, ...flags: string[]): Promise<Called> {
  return callAsUser(action, ...(flags.includes("--service-account") ? [] : ["--kubeconfig-token"]), ...flags);
}

/** With flags that reach the servers of this test. */
function callAsUser(action: string, ...flags: string[]): Promise<Called> {
  const server = action === "curl" ? [] : ["--server", `https://localhost:${portOf(gateway)}`];
  const authority = action === "curl" ? [] : ["--certificate-authority", join(directory, "ca.crt")];
  return call(
    "key",
    action,
    "demo/alerts",
    "--kubeconfig",
    join(directory, "token"),
    ...server,
    ...authority,
    ...flags,
  );
}

function json({ out }: Called): unknown {
  return JSON.parse(out);
}

describe("key create", () => {
  it("shows the key once, says so, and gives a line that sends a delivery", async () => {
    const { status, out } = await callKey("create");
    expect(heard[0]).toEqual({
      path: "/automations/demo.alerts/regenerate-key",
      authorization: "Bearer persons-token",
      body: { create: true },
    });
    expect(status).toBe(0);
    expect(out).toContain(`  ${key}\n`);
    expect(out).toContain("will not be shown again");
    expect(out).toContain(`curl --fail-with-body -X POST '${issued.webhookUrl}'`);
    expect(json(await callKey("create", "-o", "json"))).toMatchObject({ automation: "demo/alerts", ...issued });
  });

  const unavailable = {
    status: 503,
    body: { error: "the API server did not answer in time; try again", code: "Unavailable" },
  };

  it("is tried again where the gateway cannot answer", async () => {
    earlier = [unavailable, unavailable];
    const { status, out } = await callKey("create");
    const asked = heard.filter(({ path }) => path?.endsWith("/regenerate-key"));
    expect([status, asked.length]).toEqual([0, 3]);
    expect(out).toContain(`  ${key}\n`);
  });

  it("says why the gateway could not answer where it goes on", async () => {
    answer = unavailable;
    const { status, err } = await callKey("create");
    expect([status, heard.length]).toEqual([1, 3]);
    expect(err).toContain("the API server did not answer in time");
  });

  it("says that an earlier try may have stored the key", async () => {
    const exists = { status: 409, body: { error: "the automation has a key", code: "KeyExists" } };
    const earlierTry = "An earlier try of this command may have stored it";
    answer = exists;
    expect((await callKey("create")).err).not.toContain(earlierTry);
    earlier = [unavailable];
    const { status, err } = await callKey("create");
    expect(status).toBe(1);
    expect(err).toContain(earlierTry);
    expect(err).toContain("key regenerate");
  });

  it("puts --base-url before the path", async () => {
    const called = await callKey("create", "-o", "json", "--base-url", "https://in.example.org/");
    expect(json(called)).toMatchObject({ webhookUrl: "https://in.example.org/webhooks/automation/demo.alerts" });
  });

  it.each(["key-manager", "demo/key-manager"])(
    "acts as ServiceAccount %s with a token for the gateway alone",
    async (account) => {
      api["/api/v1/namespaces/demo/serviceaccounts/key-manager/token"] = {
        metadata: {},
        status: { token: "requested" },
      };
      await callKey("create", "--kubeconfig", join(directory, "tokenless"), "--service-account", account);
      expect(heard[0]?.body).toMatchObject({
        kind: "TokenRequest",
        spec: { audiences: ["runwright-api.runwright-system.runwright"], expirationSeconds: 600 },
      });
      expect(heard[1]?.authorization).toBe("Bearer requested");
    },
  );

  it("acts as the kubeconfig's ServiceAccount, and shows its own token to the API server alone", async () => {
    api[reviewPath] = { metadata: {}, status: { userInfo: { username: "system:serviceaccount:demo:key-manager" } } };
    api["/api/v1/namespaces/demo/serviceaccounts/key-manager/token"] = { metadata: {}, status: { token: "requested" } };
    expect((await callAsUser("create")).status).toBe(0);
    expect(heard.map(({ path, authorization }) => [path?.split("?")[0], authorization])).toEqual([
      [reviewPath, "Bearer persons-token"],
      ["/api/v1/namespaces/demo/serviceaccounts/key-manager/token", "Bearer persons-token"],
      ["/automations/demo.alerts/regenerate-key", "Bearer requested"],
      ["/apis/runwright.dev/v1alpha1/namespaces/demo/automations/alerts", "Bearer persons-token"],
    ]);
  });

  it.each(["ada@example.com", "system:serviceaccount:demo", "system:serviceaccount:demo:a:b"])(
    "shows the gateway nothing of %s, for whom there are no tokens",
    async (username) => {
      api[reviewPath] = { metadata: {}, status: { userInfo: { username } } };
      const { status, err } = await callAsUser("create");
      expect(status).toBe(1);
      expect(err).toMatch(new RegExp(`you are "${username}".*\n.*--service-account.*--kubeconfig-token`));
      expect(heard.map(({ path }) => path?.split("?")[0])).toEqual([reviewPath]);
    },
  );

  it("refuses two tokens", async () => {
    const { status, err } = await callKey("create", "--service-account", "demo/a", "--kubeconfig-token");
    expect([status, err]).toEqual([2, expect.stringContaining("exclude each other")]);
    expect(heard).toEqual([]);
  });

  it.each([
    { name: "a key that is there", status: 409, code: "KeyExists", want: /has one.*\n.*key regenerate/s },
    { name: "a caller without the right", status: 403, code: "Forbidden", want: /automations\/key/ },
    { name: "a token that is not accepted", status: 401, code: "Unauthorized", want: /--service-account/ },
    { name: "a key that comes from a Secret", status: 409, code: "KeyManagedBySecret", want: /keyHashSecretRef/ },
  ])("says what to do about $name", async ({ status, code, want }) => {
    answer = { status, body: { error: "it has one", code } };
    const called = await callKey("create");
    expect(called).toMatchObject({ status: 1, out: "" });
    expect(called.err).toMatch(want);
  });

  it.each([
    { name: "no error at all", status: 502, body: "<html>", want: "the gateway answered 502" },
    { name: "a success of another version", status: 200, body: { key }, want: "cannot be read" },
  ])("does not guess at $name", async ({ status, body, want }) => {
    answer = { status, body };
    expect((await callKey("create")).err).toContain(want);
  });

  it.each([
    [["--base-url", "hooks"], '--base-url is "hooks"'],
    [["--base-url", "ftp://h"], "http:// or https://"],
    [["--server", "http://g"], '--server is "http://g"'],
    [["--service-account", "a/b/c"], 'ServiceAccount "a/b/c"'],
  ])("refuses %s", async (flags, want) => {
    const called = await callKey("create", ...flags);
    expect(called.status).toBe(2);
    expect(called.err).toContain(want);
    expect(heard).toEqual([]);
  });
});

it("key create calls a signing secret so, and signs with it", async () => {
  const secret = "0123456789abcdef0123456789abcdef";
  answer = { status: 200, body: { ...issued, webhookApiKey: secret, authenticationType: "HMAC" } };
  const automation = "/apis/runwright.dev/v1alpha1/namespaces/demo/automations/alerts";
  const authentication = { type: "HMAC", hmac: { preset: "github" } };
  api[automation] = { metadata: {}, spec: { trigger: { type: "Webhook", webhook: { authentication } } } };
  const { out } = await callKey("create");
  expect(out).toContain(`Signing secret of demo/alerts:\n\n  ${secret}\n`);
  expect(out).toContain("no command shows it again");
  expect(out).toContain(`RUNWRIGHT_SIGNING_SECRET='${secret}'`);
  expect(out).toContain("'x-hub-signature-256: sha256='");
  // A person who may not read the Automation gets the secret and no command that would send it in the wrong way.
  api = {};
  const { out: alone } = await callKey("create");
  expect(alone).toContain(`Send deliveries to ${issued.webhookUrl}`);
  expect(alone).not.toContain("Bearer");
});

it("key regenerate asks for a new key whether there is one or not", async () => {
  await callKey("regenerate");
  expect(heard[0]?.body).toEqual({});
});

it("shows no token to a server whose certificate it cannot check", async () => {
  const server = ["--kubeconfig", join(directory, "token"), "--server", `https://localhost:${portOf(gateway)}`];
  const { err } = await call("key", "create", "demo/alerts", "--kubeconfig-token", ...server);
  expect(err).toMatch(/cannot be reached: .*certificate/);
  expect(heard).toEqual([]);
});

it("has no token of a kubeconfig without one", async () => {
  const { err } = await callKey("create", "--kubeconfig", join(directory, "tokenless"));
  expect(err).toContain("--service-account");
});

it("names the release when there is no gateway to reach", async () => {
  api["/api/v1/namespaces/runwright-system/pods"] = { metadata: { resourceVersion: "1" }, items: [] };
  const as = ["--kubeconfig-token", "--kubeconfig", join(directory, "token")];
  const { err } = await call("key", "create", "demo/alerts", ...as);
  expect(err).toMatch(/no gateway pod of release "runwright" in namespace "runwright-system"\n.*--release-namespace/);
});

it("names a context that is not there", async () => {
  expect((await callKey("create", "--context", "nowhere")).err).toContain('no context "nowhere"');
});

it("says that there is no kubeconfig, and how to name one", async () => {
  vi.stubEnv("KUBECONFIG", "");
  vi.stubEnv("HOME", directory);
  const { status, err } = await call("key", "curl", "demo/alerts");
  expect(status).toBe(1);
  expect(err).toMatch(/^error: there is no kubeconfig: .*\n.*--kubeconfig FILE\n$/);
});

const noServer = {
  clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
  users: [{ name: "u", user: {} }],
};
const contexts = (cluster: string): object => ({ contexts: [{ name: "c", context: { cluster, user: "u" } }] });

it.each([
  { name: "nothing in it", config: {}, want: /^error: the kubeconfig has no current context\n.*--context NAME/ },
  { name: "no context chosen", config: { ...noServer, ...contexts("c") }, want: /has no current context/ },
  {
    name: "a context without a cluster",
    config: { ...noServer, ...contexts("d"), "current-context": "c" },
    want: /no cluster for its context "c"/,
  },
  {
    name: "a server without TLS",
    config: { ...noServer, ...contexts("c"), "current-context": "c" },
    want: /^error: context "c" has the server http:\/\/127.0.0.1:1, .*not https\n.*--kubeconfig FILE\n$/,
  },
])("says what to do about a kubeconfig with $name", async ({ config, want }) => {
  const file = join(directory, "odd");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "Config", ...config }));
  const { status, err } = await call("automations", "--kubeconfig", file);
  expect([status, err]).toEqual([1, expect.stringMatching(want)]);
});

it("names a kubeconfig that cannot be read", async () => {
  const { err } = await call("key", "curl", "demo/alerts", "--kubeconfig", join(directory, "none"));
  expect(err).toMatch(/^error: the kubeconfig .*none cannot be read: .*\n.*--kubeconfig FILE\n$/);
});

describe("key curl", () => {
  const path = "/apis/runwright.dev/v1alpha1/namespaces/demo/automations/alerts";

  it("prints a line without a key, which a shell can run", async () => {
    api[path] = { metadata: {}, spec: { trigger: { type: "Webhook" } } };
    const { out } = await callKey("curl", "--base-url", `http://localhost:${portOf(apiServer)}`);
    await promisify(execFile)("sh", ["-c", out], { env: { ...process.env, RUNWRIGHT_API_KEY: key } }).catch(
      () => undefined,
    );
    expect(heard.at(-1)).toMatchObject({ path: "/webhooks/automation/demo.alerts", authorization: `Bearer ${key}` });
  });

  const shown = "https://hooks.example.com:8443/webhooks/automation/demo.alerts";
  const elsewhere = ["--base-url", "https://in.example.org"];
  it.each([
    { name: "the address in the status", flags: [], want: shown },
    {
      name: "--base-url all the same",
      flags: elsewhere,
      want: "https://in.example.org/webhooks/automation/demo.alerts",
    },
  ])("uses $name", async ({ flags, want }) => {
    const webhook = { path: "/webhooks/automation/demo.alerts", url: shown };
    api[path] = { metadata: {}, spec: { trigger: { type: "Webhook" } }, status: { webhook } };
    expect(json(await callKey("curl", "-o", "json", ...flags))).toMatchObject({ webhookUrl: want });
  });

  it("uses the ingress Service's address before the controller has seen the automation", async () => {
    api[path] = { metadata: {}, spec: { trigger: { type: "Webhook" } } };
    expect(json(await callKey("curl", "-o", "json"))).toMatchObject({
      webhookUrl: "http://runwright-ingress.runwright-system.svc/webhooks/automation/demo.alerts",
    });
  });

  const tracker = {
    metadata: {},
    spec: { trigger: { type: "ErrorTracker", errorTracker: { events: ["IssueCreated"] } } },
  };

  it("prints a line with a signed event for an error tracker, and not the secret", async () => {
    api[path] = tracker;
    await writeFile(join(directory, "secret"), "0123456789abcdef\n");
    const base = ["--base-url", `http://localhost:${portOf(apiServer)}`, "-f", join(directory, "secret")];
    const { out } = await callKey("curl", ...base);
    expect(out).not.toContain("0123456789abcdef");
    await promisify(execFile)("sh", ["-c", out]).catch(() => undefined);
    const sent = heard.at(-1);
    expect(sent).toMatchObject({ path: "/webhooks/error-tracker/demo.alerts", body: { action: "created" } });
    const scheme = { algorithm: "sha256", encoding: "hex" } as const;
    const signed = { scheme, signatures: [String(sent?.signature)], parts: [JSON.stringify(sent?.body)] };
    expect(isSigned(signed, ["0123456789abcdef"])).toBe(true);
  });

  it("takes a secret for an error tracker, and for nothing else", async () => {
    api[path] = tracker;
    expect(await callKey("curl")).toMatchObject({ status: 2, err: expect.stringContaining("-f FILE") as string });
    api[path] = { metadata: {}, spec: { trigger: { type: "Webhook" } } };
    expect(await callKey("curl", "-f", "secret")).toMatchObject({
      status: 2,
      err: expect.stringContaining("webhooks have a key") as string,
    });
  });

  it("refuses other triggers and automations that are not there", async () => {
    expect((await callKey("curl")).err).toContain("there is no Automation demo/alerts");
    api[path] = { metadata: {}, spec: { trigger: { type: "Schedule" } } };
    expect((await callKey("curl")).err).toContain("trigger type Schedule");
  });
});

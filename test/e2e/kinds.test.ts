import { createHash, createHmac, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { apiVersion, PrebuiltImage, Prompt, Run, Session } from "../../src/api/v1alpha1/index.ts";
import { nextSlotMs } from "../../src/controllers/image/decide/slots.ts";
import { isSettled } from "../../src/domain/prompts/prompt-state.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { type Entrance, openEntrance } from "./support/delivery.ts";
import { createKey } from "./support/key.ts";
import { runPlugin } from "./support/plugin.ts";
import { succeeded } from "./support/stages.ts";
import { accountName, grant, keyManagerName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { apply } from "./support/workbench.ts";

// Each kind as people use it, on the release that the chart installed. Child sessions, saved workspaces, the archive and what may go
// wrong with images have files of their own: first-hour, workspace, archive, prebuilt-image.

let stage: Stage;
let tenant: Tenant;
let entrance: Entrance;

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: tenant.namespace, name });
const inTenant = (kind: string, name: string, spec: object): object => ({
  apiVersion,
  kind,
  metadata: keyOf(name),
  spec,
});

beforeAll(async () => {
  stage = await openStage("kinds");
  // What it is asked is a script.
  tenant = await makeTenant(stage, { command: ["bash"] });
  entrance = await openEntrance(stage.bench);
  await useBranch(stage, tenant, {
    ".runwright/setup.sh": "head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n' > /workspace/nonce",
    ".runwright/start.sh": "true",
  });
  const rules = [{ apiGroups: ["runwright.dev"], resources: ["repositories", "environments"], verbs: ["get"] }];
  await apply(stage.bench, [
    ...grant(keyOf("all-targets"), keyOf(accountName), rules),
    inTenant("Repository", "shop", repositorySpec()),
    inTenant("Repository", "shop-ui", repositorySpec()),
    inTenant("Environment", "everything", { repositoryRefs: [{ name: "shop" }, { name: "shop-ui" }] }),
  ]);
});

afterAll(async () => {
  entrance.close();
  await tenant.close();
  await stage.close();
});

function repositorySpec(): object {
  return {
    url: stage.git.url,
    branch: tenant.namespace,
    credentialSecretRef: { name: "checkout-git" },
    caSecretRef: { name: "git-authority" },
  };
}

/** Starts a session and asks it a script; the Session, and the lines of the answer. */
async function ask(name: string, target: object, script: string): Promise<{ session: Session; lines: string[] }> {
  const { client } = stage.bench;
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName, idleTimeoutSeconds: 0 };
  await client.create(Session, { metadata: keyOf(name), spec: { ...use, target } });
  await client.create(Prompt, { metadata: keyOf(name), spec: { sessionRef: { name }, text: script } });
  await until(`${name} has ended`, async () => isSettled(await client.get(Prompt, keyOf(name))));
  const prompt = await client.get(Prompt, keyOf(name));
  expect(succeeded(prompt)).toMatchObject({ status: "True", reason: "Completed" });
  const lines = (prompt.status?.result?.summary ?? "").split("\n");
  return { session: await client.get(Session, keyOf(name)), lines };
}

const readyOf = ({ status }: PrebuiltImage): string | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready")?.status;

describe("PrebuiltImage", () => {
  it("prebuild of a Repository makes an image that is Ready, and sessions begin with what its setup.sh made", async () => {
    const { client } = stage.bench;
    const prebuild = { sandboxClassName: tenant.namespace, serviceAccountName: accountName };
    await apply(stage.bench, [inTenant("Repository", "prebuilt", { ...repositorySpec(), prebuild })]);
    const image = async (): Promise<PrebuiltImage | undefined> => {
      const { items } = await client.list(PrebuiltImage, { namespace: tenant.namespace });
      return items.find(({ spec }) => spec.repositoryRef?.name === "prebuilt");
    };
    await until("the image is Ready", async () => {
      const found = await image();
      return found !== undefined && readyOf(found) === "True";
    });
    const target = { repositoryRefs: [{ name: "prebuilt" }] };
    const { session, lines } = await ask("with-image", target, "cat /workspace/nonce");
    const { metadata, status } = (await image())!;
    expect(session.status?.prebuiltImage).toMatchObject({
      name: metadata.name,
      reason: "Used",
      build: 1,
      digest: status?.image?.digest,
    });
    expect(lines[0]).toMatch(/^[0-9a-f]{32}$/);
    expect((await ask("with-the-same", target, "cat /workspace/nonce")).lines).toEqual(lines);
  });

  it("an image is built again once a check finds a commit", async () => {
    const { client } = stage.bench;
    const key = await createSoonChecked("checked", { environmentRef: { name: "everything" } });
    const read = (): Promise<PrebuiltImage> => client.get(PrebuiltImage, key);
    await until("it is built", async () => readyOf(await read()) === "True");
    const [before] = (await read()).status?.image?.commits ?? [];
    await useBranch(stage, tenant, { "later.txt": "pushed after the build" });
    await until("it is built again", async () => (await read()).status?.image?.build === 2, 600_000);
    const [after] = (await read()).status?.image?.commits ?? [];
    expect(after?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(after?.commit).not.toBe(before?.commit);
    const target = { environmentRef: { name: "everything" } };
    const { session, lines } = await ask("with-later", target, "cat later.txt");
    expect(session.status?.prebuiltImage).toMatchObject({ reason: "Used", build: 2 });
    expect(lines[0]).toBe("pushed after the build");
  });
});

/** Creates an image whose branches are looked at in two to five minutes: when, depends on the UID, so others are tried before one builds. */
async function createSoonChecked(name: string, scope: object): Promise<{ namespace: string; name: string }> {
  const { client } = stage.bench;
  const spec = { ...scope, sandboxClassName: tenant.namespace, serviceAccountName: accountName, suspend: true };
  for (;;) {
    const { metadata } = await client.create(PrebuiltImage, {
      metadata: keyOf(name),
      spec: spec,
    });
    const now = Date.now();
    const inMs = nextSlotMs(metadata.uid ?? "", now) - now;
    if (inMs >= 120_000 && inMs < 300_000) break;
    await client.delete(PrebuiltImage, keyOf(name));
  }
  await client.patch(PrebuiltImage, keyOf(name), { spec: { suspend: false } });
  return keyOf(name);
}

it("an Environment's Repositories stand side by side, and a Skill reaches the agent with its files", async () => {
  const bytes = randomBytes(1_000);
  await apply(stage.bench, [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: keyOf("style"),
      binaryData: { picture: bytes.toString("base64") },
    },
    inTenant("Skill", "house-style", {
      description: "How we write. Use it before each change.",
      body: "Write short sentences.\n",
      files: [{ path: "assets/picture.png", configMapKeyRef: { name: "style", key: "picture" } }],
      appliesTo: { environments: ["everything"] },
    }),
  ]);
  const script = [
    "pwd",
    "git -C /workspace/shop-ui rev-parse --show-toplevel",
    "tail -n 1 ~/.claude/skills/house-style/SKILL.md",
    "sha256sum < ~/.agents/skills/house-style/assets/picture.png",
  ].join("\n");
  const { session, lines } = await ask("in-everything", { environmentRef: { name: "everything" } }, script);
  const sum = createHash("sha256").update(bytes).digest("hex");
  expect(lines).toEqual(["/workspace/shop", "/workspace/shop-ui", "Write short sentences.", `${sum}  -`]);
  expect(session.status?.skills?.names).toEqual(["house-style"]);
});

/** How a sender proves itself to an Automation. */
interface Sender {
  webhook: object;
  /** Gives the Automation its key or secret, and gives what the sender has. */
  agree: (automation: string) => Promise<string>;
  proof: (secret: string, body: string) => Record<string, string>;
}

const secret = randomBytes(32).toString("base64url");
const mac = (by: string | Buffer, text: string, encoding: "hex" | "base64"): string =>
  createHmac("sha256", by).update(text).digest(encoding);
const nowSeconds = (): string => String(Math.floor(Date.now() / 1_000));
const hmac = (how: object): object => ({ authentication: { type: "HMAC", hmac: how } });

/** Keys and secrets that Git has. */
async function fromGit(name: string, key: string, value: string): Promise<string> {
  const data = { [key]: value };
  await apply(stage.bench, [{ apiVersion: "v1", kind: "Secret", metadata: keyOf(name), stringData: data }]);
  return secret;
}

async function madeByPlugin(automation: string): Promise<string> {
  return (await createKey(stage.bench, `${tenant.namespace}/${automation}`)).key;
}

/** With `key set`, as for a secret that the sender made. */
async function given(automation: string, value: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "runwright-secret-"));
  const file = join(directory, "secret");
  await writeFile(file, value);
  const as = ["--service-account", `${tenant.namespace}/${keyManagerName}`];
  await runPlugin(stage.bench, ["key", "set", `${tenant.namespace}/${automation}`, "-f", file, ...as]);
  await rm(directory, { recursive: true });
  return value;
}

const senders: Record<string, Sender> = {
  "bearer-key": {
    webhook: {},
    agree: madeByPlugin,
    proof: (key) => ({ authorization: `Bearer ${key}` }),
  },
  "key-from-git": {
    webhook: { keyHashSecretRef: { name: "key-from-git" } },
    agree: () => fromGit("key-from-git", "sha256", createHash("sha256").update(secret).digest("hex")),
    proof: (key) => ({ authorization: `Bearer ${key}` }),
  },
  "token-in-a-header": {
    webhook: { authentication: { type: "Header", header: { name: "X-Gitlab-Token" } } },
    agree: madeByPlugin,
    proof: (key) => ({ "x-gitlab-token": key }),
  },
  "signed-as-github-does": {
    webhook: hmac({ preset: "github", secretRef: { name: "signed-as-github-does" } }),
    agree: () => fromGit("signed-as-github-does", "signing-secret", secret),
    proof: (by, body) => ({ "x-hub-signature-256": `sha256=${mac(by, body, "hex")}` }),
  },
  "standard-webhooks": {
    webhook: hmac({ preset: "standard-webhooks" }),
    agree: (automation) => given(automation, `whsec_${randomBytes(32).toString("base64")}`),
    proof(by, body) {
      const [id, timestamp] = ["msg_1", nowSeconds()];
      const key = Buffer.from(by.replace("whsec_", ""), "base64");
      const signature = `v1,${mac(key, `${id}.${timestamp}.${body}`, "base64")}`;
      return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    },
  },
  "signed-with-a-time": {
    webhook: hmac({ header: "X-My-Signature", encoding: "Base64", timestampHeader: "X-My-Time" }),
    agree: (automation) => given(automation, secret),
    proof(by, body) {
      const time = nowSeconds();
      return { "x-my-signature": mac(by, `${time}:${body}`, "base64"), "x-my-time": time };
    },
  },
};

async function send(
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${entrance.baseUrl}/webhooks/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: answer.status, body: await answer.json() };
}

/** An Automation without a target, whose Runs end at once. */
function automation(name: string, trigger: object): object {
  const session = { sandboxClassName: tenant.namespace };
  const spec = { instructions: "echo Done.; exit", trigger, session, serviceAccountName: accountName };
  return inTenant("Automation", name, spec);
}

const started = { status: 200, body: { ok: true, triggered: 1, skipped: 0, steered: 0 } };

async function runsOf(name: string): Promise<Run[]> {
  const { items } = await stage.bench.client.list(Run, { namespace: tenant.namespace });
  return items.filter(({ spec }) => spec.automationRef.name === name);
}

async function succeedAll(name: string, count: number): Promise<void> {
  await until(`${count} Runs of ${name} have ended`, async () => {
    const ended = (await runsOf(name)).filter((run) => succeeded(run)?.status === "True");
    return ended.length === count;
  });
}

describe("Automation", () => {
  it.each(Object.entries(senders))(
    "a sender that proves itself by %s starts a Run, and no other does",
    async (name, sender) => {
      await apply(stage.bench, [automation(name, { type: "Webhook", webhook: sender.webhook })]);
      const agreed = await sender.agree(name);
      const path = `automation/${tenant.namespace}.${name}`;
      const body = JSON.stringify({ from: name });
      await until("the ingress has it", async () => {
        const answer = await send(path, body, sender.proof(agreed, body));
        if (answer.status === 200) expect(answer).toEqual(started);
        return answer.status === 200;
      });
      expect((await send(path, body, sender.proof(`${agreed.slice(0, -8)}AAAAAAA=`, body))).status).toBe(401);
      await succeedAll(name, 1);
    },
  );

  it("a signed event of an error tracker starts a Run, once", async () => {
    await apply(stage.bench, [
      automation("errors", {
        type: "ErrorTracker",
        errorTracker: { events: ["IssueCreated"], projects: ["checkout"] },
      }),
    ]);
    await given("errors", secret);
    const issue = { id: "4711", title: "TypeError", level: "error", project: { slug: "checkout" } };
    const body = JSON.stringify({ action: "created", data: { issue } });
    const path = `error-tracker/${tenant.namespace}.errors`;
    const signature = { "sentry-hook-signature": mac(secret, body, "hex") };
    expect(await send(path, body, signature)).toEqual(started);
    expect((await send(path, body, signature)).body).toMatchObject({ triggered: 0, skipped: 1 });
    await succeedAll("errors", 1);
  });
});

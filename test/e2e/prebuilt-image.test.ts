import { afterAll, beforeAll, expect, it } from "vitest";

import { annotations, apiVersion, PrebuiltImage, Prompt, scopeLabels, Session } from "../../src/api/v1alpha1/index.ts";
import { nextSlotMs } from "../../src/controllers/image/decide/slots.ts";
import { isSettled } from "../../src/domain/prompts/prompt-state.ts";
import { leases, pods, secrets } from "../../src/kube/core-resources.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { release } from "./support/install.ts";
import { makePerson } from "./support/people.ts";
import { runPlugin } from "./support/plugin.ts";
import { succeeded } from "./support/stages.ts";
import { accountName } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { apply, kubectl } from "./support/workbench.ts";

// One tenant whose namespace enforces the restricted profile, with an image for each test, all built at once. Each is of a
// Repository of its own, so that their scopes differ.

const names = ["plain", "secretive", "flipped", "popular"] as const;
type Name = (typeof names)[number];

const files = {
  ".runwright/setup.sh": [
    "head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n' > /workspace/nonce",
    "mkdir -p ~/.cache && cp /workspace/nonce ~/.cache/nonce",
    'printf %s "${TOKEN:-none}" > /workspace/token',
    'sleep "${SLOW:-0}"',
    "echo It is set up.",
  ].join("\n"),
  ".runwright/start.sh": "true",
  ".runwright/show.sh":
    'for file in /workspace/nonce ~/.cache/nonce /workspace/token later.txt; do cat "$file" 2>/dev/null; echo; done',
};

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("image");
  tenant = await makeTenant(stage, { command: ["bash", "-c", "bash .runwright/show.sh"] });
  await useBranch(stage, tenant, files);
  await apply(stage.bench, [...rightsOnAll(), ...names.flatMap(scopeOf)]);
  await Promise.all(names.map(createImage));
  await Promise.all([twentyRequestsAndAnotherLeader(), ...names.map(built)]);
  await useBranch(stage, tenant, { "later.txt": "pushed after the build" });
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: tenant.namespace, name });
const read = (name: Name): Promise<PrebuiltImage> => stage.bench.client.get(PrebuiltImage, keyOf(name));

function rightsOnAll(): object[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const metadata = keyOf("all-repositories");
  return [
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: ["runwright.dev"], resources: ["repositories"], verbs: ["get"] }],
    },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "Role", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", ...keyOf(accountName) }],
    },
  ];
}

/** A Repository as the tenant's own, and its secrets. */
function scopeOf(name: Name): object[] {
  const { git } = stage;
  // Too short for what hides secrets in output.
  const values = { TOKEN: "first", SLOW: name === "popular" ? "15" : "0" };
  return [
    {
      apiVersion,
      kind: "Repository",
      metadata: keyOf(name),
      spec: {
        url: git.url,
        branch: tenant.namespace,
        credentialSecretRef: { name: "checkout-git" },
        caSecretRef: { name: "git-authority" },
        secretRef: { name },
      },
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...keyOf(name), labels: scopeLabels("repository", name) },
      stringData: values,
    },
  ];
}

/** How long these tests take at most, in milliseconds. */
const undisturbedMs = 900_000;

/**
 * Creates an image whose branches are not looked at before these tests are over: the next check finds the commit that they
 * push, and puts build 2 in the place of build 1. When it comes depends on the UID, so others are tried before one builds.
 */
async function createImage(name: Name): Promise<void> {
  const { client } = stage.bench;
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName };
  const spec = { repositoryRef: { name }, ...use, suspend: true };
  for (;;) {
    const { metadata } = await client.create(PrebuiltImage, { metadata: keyOf(name), spec });
    const now = Date.now();
    if (nextSlotMs(metadata.uid ?? "", now) - now >= undisturbedMs) break;
    await client.delete(PrebuiltImage, keyOf(name));
  }
  await client.patch(PrebuiltImage, keyOf(name), { spec: { suspend: false } });
}

async function built(name: Name): Promise<void> {
  const isBuilt = async (): Promise<boolean> => {
    const { status } = await read(name);
    return status?.image !== undefined && status.build === undefined;
  };
  await until(`${name} is built`, isBuilt).catch(async (error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify((await read(name)).status)}`);
  });
}

/** Requests builds of one that is being built, before and after another controller leads. */
async function twentyRequestsAndAnotherLeader(): Promise<void> {
  const { client } = stage.bench;
  const isRunning = async (): Promise<boolean> => {
    const name = (await read("popular")).status?.sandbox?.podName;
    const pod = name === undefined ? undefined : await client.find(pods, keyOf(name));
    return pod?.status?.phase === "Running";
  };
  await until("popular is being built", isRunning);
  const lease = await client.get(leases, { namespace: release.namespace, name: `${release.name}-controller` });
  const leader = lease.spec?.holderIdentity ?? "";
  const request = async (value: number): Promise<void> => {
    const metadata = { annotations: { [annotations.rebuildRequestedAt]: String(value) } };
    await client.patch(PrebuiltImage, keyOf("popular"), { metadata });
  };
  for (let value = 0; value < 10; value += 1) await request(value);
  const { items } = await client.list(pods, { namespace: release.namespace });
  const pod = items.find(({ metadata }) => leader.includes(metadata.name ?? "-"));
  await client.delete(pods, { namespace: release.namespace, name: pod?.metadata.name ?? "" });
  for (let value = 10; value < 20; value += 1) await request(value);
}

/** What a session on the Repository finds in its workspace, and what it says about the image. */
async function runSession(
  name: string,
  repository: Name,
): Promise<{ image: NonNullable<Session["status"]>["prebuiltImage"]; lines: string[] }> {
  const { client } = stage.bench;
  const use = { sandboxClassName: tenant.namespace, serviceAccountName: accountName, idleTimeoutSeconds: 0 };
  const target = { repositoryRefs: [{ name: repository }] };
  await client.create(Session, { metadata: keyOf(name), spec: { ...use, target } });
  await client.create(Prompt, { metadata: keyOf(name), spec: { sessionRef: { name }, text: "Show." } });
  await until(`${name} has ended`, async () => isSettled(await client.get(Prompt, keyOf(name))));
  const prompt = await client.get(Prompt, keyOf(name));
  expect(succeeded(prompt)).toMatchObject({ status: "True", reason: "Completed" });
  const { status } = await client.get(Session, keyOf(name));
  return { image: status?.prebuiltImage, lines: (prompt.status?.result?.summary ?? "").split("\n") };
}

it("two sessions begin with what setup.sh made once, and have the commit that was pushed since", async () => {
  const { status } = await read("plain");
  expect(status?.image).toMatchObject({ build: 1, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string });
  const [one, two] = await Promise.all([runSession("one", "plain"), runSession("two", "plain")]);
  for (const { image } of [one, two]) {
    expect(image).toMatchObject({ name: "plain", reason: "Used", build: 1, digest: status?.image?.digest });
  }
  const [nonce, cached, token, later] = one.lines;
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  expect([cached, token, later]).toEqual([nonce, "first", "pushed after the build"]);
  expect(two.lines).toEqual(one.lines);
});

it("a session after a change of secrets never shows the value before it", async () => {
  const { client } = stage.bench;
  const value = Buffer.from("second").toString("base64");
  await client.patch(secrets, keyOf("secretive"), { data: { TOKEN: value } });
  const { image, lines } = await runSession("changed", "secretive");
  expect(image).toMatchObject({ reason: "SecretsChanged", build: 1 });
  expect(lines[2]).toBe("second");
  await until("it is built anew", async () => ((await read("secretive")).status?.image?.build ?? 0) > 1);
});

it("one flipped byte in the blob store: the session runs on a fresh clone, and the image has failed", async () => {
  const { bench } = stage;
  const { metadata, status } = await read("flipped");
  const flip = `
    const { globSync, readFileSync, writeFileSync } = require("node:fs");
    const found = globSync(process.argv[1]).filter((path) => path.includes("workspace.tar"));
    const bytes = readFileSync(found[0]);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(found[0], bytes);`;
  expect(status?.image?.build).toBe(1);
  const archive = `/var/lib/runwright/blobs/${metadata.uid ?? ""}/snapshots/1/${status?.image?.archive ?? ""}/**`;
  const gateway = `deployment/${release.name}-gateway`;
  await kubectl(bench, ["-n", release.namespace, "exec", gateway, "--", "node", "-e", flip, archive]);
  const { image, lines } = await runSession("hardy", "flipped");
  expect(image).toMatchObject({ reason: "Used", build: 1, problem: "Damaged" });
  expect(lines[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(lines[3]).toBe("pushed after the build");
  const failed = { number: 1, result: "Failed", reason: "ImageDamaged" };
  const hasFailed = async (): Promise<boolean> =>
    (await read("flipped")).status?.builds?.some(({ number, result }) => number === 1 && result === "Failed") ?? false;
  await until("the image has failed", hasFailed);
  expect((await read("flipped")).status?.builds).toContainEqual(expect.objectContaining(failed));
});

it("twenty requests during a build, and two leaders, made one build", async () => {
  const { status } = await read("popular");
  expect(status).toMatchObject({ sandbox: { attempt: 1 }, image: { build: 1 }, rebuildRequestedAt: "19" });
  expect(status?.builds).toHaveLength(1);
});

it("people read the output of a build whose pod is gone", async () => {
  const { bench } = stage;
  const person = await makePerson(bench, tenant.namespace, "view");
  const as = ["--service-account", `${tenant.namespace}/${person}`];
  const image = `${tenant.namespace}/plain`;
  expect(await runPlugin(bench, ["image", "logs", image, "--build", "1", ...as])).toContain("It is set up.");
  expect(await runPlugin(bench, ["image", "status", image])).toMatch(/^Scope: +Repository\/plain$/m);
});

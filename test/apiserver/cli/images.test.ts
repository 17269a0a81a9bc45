import { afterAll, beforeAll, expect, it } from "vitest";
import { annotations, PrebuiltImage, type PrebuiltImageStatus } from "../../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";

let client: KubeClient;
let disconnect: () => Promise<void>;
let namespace: string;
beforeAll(async () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  ({ client } = connection);
  disconnect = () => connection.close();
  namespace = await newNamespace(client, "images");
});
afterAll(() => disconnect());

const plugin = (...argv: string[]): Promise<CliResult> =>
  runPlugin([...argv, "--kubeconfig", testCluster().kubeconfig]);
const keyOf = (name: string): { namespace: string; name: string } => ({ namespace, name });
const read = (name: string): Promise<PrebuiltImage> => client.get(PrebuiltImage, keyOf(name));

const time = "2026-05-04T10:00:00Z";
const digest = `sha256:${"a".repeat(64)}`;
const image = {
  ...{ build: 3, archive: "x", digest, bytes: 64_000_000, fingerprint: digest, runtimeVersion: 1, classImage: "c" },
  ...{ architecture: "amd64", secretsMAC: "m", time, commits: [{ repository: "web", commit: "c".repeat(40) }] },
};
const build = { number: 4, step: "Building", reason: "NewCommits", fingerprint: digest, classImage: "c" } as const;
const going = { ...build, timeoutSeconds: 1_800 };

async function make(name: string, status: PrebuiltImageStatus = {}): Promise<void> {
  const spec = { repositoryRef: { name: "web" }, sandboxClassName: "c", serviceAccountName: "r", suspend: false };
  const created = await client.create(PrebuiltImage, { metadata: keyOf(name), spec });
  await client.patchStatus(PrebuiltImage, created, status);
}

it("shows what an image holds, what goes on, why the last build failed, and its last builds", async () => {
  await make("shown", {
    ...{ scope: "Repository/web", image, build: going, nextCheckTime: "2026-05-04T10:30:00Z" },
    builds: [
      { number: 2, result: "Failed", reason: "SetupFailed", startTime: time, endTime: "2026-05-04T10:01:05Z" },
      { number: 1, result: "Ready", reason: "MissingImage", startTime: time, endTime: "2026-05-04T10:00:40Z" },
    ],
    conditions: [
      {
        ...{ type: "BuildFailed", status: "True", reason: "SetupFailed", lastTransitionTime: time },
        message: "setup.sh of repository web exited with status 3: \u001b[31mno\u202e such package",
      },
    ],
  });
  const { status, out } = await plugin("image", "status", `${namespace}/shown`);
  expect(status).toBe(0);
  expect(out.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ").trimEnd())).toEqual([
    "Scope:  Repository/web",
    "Class:  c",
    "Image:  build 3, 64000000 bytes, stored 2026-05-04T10:00:00Z",
    `Commit of web: ${"c".repeat(40)}`,
    "Now:  Building, build 4 (NewCommits)",
    "Next check:  2026-05-04T10:30:00Z",
    "BuildFailed:  True SetupFailed: setup.sh of repository web exited with status 3: no such package",
    "",
    "BUILD  RESULT  REASON  STARTED  DURATION",
    "2  Failed  SetupFailed  2026-05-04T10:00:00Z  65s",
    "1  Ready  MissingImage  2026-05-04T10:00:00Z  40s",
    "",
  ]);
});

it("requests a build, and says its number once the controller has begun it", async () => {
  await make("wanted", { image });
  const answer = plugin("image", "build", `${namespace}/wanted`);
  let value: string | undefined;
  await until("it is requested", async () => {
    value = (await read("wanted")).metadata.annotations?.[annotations.rebuildRequestedAt];
    return value !== undefined;
  });
  await client.patchStatus(PrebuiltImage, await read("wanted"), { image, build: going, rebuildRequestedAt: value });
  expect(await answer).toMatchObject({ status: 0, err: "" });
  expect((await answer).out).toContain(`PrebuiltImage ${namespace}/wanted is being built: build 4\n`);
});

it("requests none while one is being built, and one during a check", async () => {
  await make("busy", { image, build: going });
  expect((await plugin("image", "build", `${namespace}/busy`)).out).toContain("is being built already: build 4");
  expect((await read("busy")).metadata.annotations).toBeUndefined();
  await make("checked", { image, build: { ...going, step: "Checking" } });
  await plugin("image", "build", `${namespace}/checked`);
  expect((await read("checked")).metadata.annotations).toHaveProperty([annotations.rebuildRequestedAt]);
});

it("says how to list images where there is none of that name, and that one was not built yet", async () => {
  for (const command of ["build", "status", "logs"]) {
    const { status, err } = await plugin("image", command, `${namespace}/none`);
    expect(status).toBe(1);
    expect(err).toContain(`kubectl get prebuiltimages -n ${namespace}`);
  }
  await make("fresh");
  expect(await plugin("image", "logs", `${namespace}/fresh`)).toMatchObject({ status: 1 });
});

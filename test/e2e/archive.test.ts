import { request } from "undici";
import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { ensureImages } from "../../hack/images/images.ts";
import { Automation, Run } from "../../src/api/v1alpha1/index.ts";
import { pods } from "../../src/kube/core-resources.ts";
import type {} from "../support/cluster.setup.ts";
import { until } from "../support/kube.ts";
import { installRelease, release } from "./support/install.ts";
import { pageArguments } from "./support/page.ts";
import { samplePayload } from "./support/payload.ts";
import { servePlugin } from "./support/plugin.ts";
import { accountOfPage } from "./support/tenant-objects.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { apply, kubectl } from "./support/workbench.ts";

// A gateway that has its blobs on a claim has an archive without another value. This cluster has no StorageClass, so folders of the
// node are given out as volumes.

const place = "volumes-of-the-node";
const volumes = ["first", "second"];
const folder = "/var/lib/runwright-volumes";

let stage: Stage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openStage("archive");
  tenant = await makeTenant(stage);
  const privileged = { "pod-security.kubernetes.io/enforce": "privileged" };
  await apply(stage.bench, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: place, labels: privileged } },
    ...volumes.map((name) => ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `${place}-${name}` },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "500Gi" },
        hostPath: { path: `${folder}/${name}` },
        persistentVolumeReclaimPolicy: "Retain",
      },
    })),
  ]);
  await onNode("prepare", volumes.map((name) => `install -d -m 777 /node/${name}`).join("; "));
  await install(["gateway.blobStore.directory.volume=persistentVolumeClaim"]);
});

// Other files find the release as it was.
afterAll(async () => {
  await install([]);
  const { bench } = stage;
  await kubectl(bench, ["-n", release.namespace, "delete", "persistentvolumeclaims", "--all"]);
  await onNode("clear", "rm -rf /node/*");
  await kubectl(bench, ["delete", "namespace", place, "--wait=false"]);
  await kubectl(bench, ["delete", "persistentvolumes", ...volumes.map((name) => `${place}-${name}`)]);
  await tenant.close();
  await stage.close();
});

async function install(sets: readonly string[]): Promise<void> {
  await installRelease(stage.bench, await ensureImages(stage.narrator.say), stage.narrator, { sets });
}

/** Runs a script as the node's root. */
async function onNode(name: string, script: string): Promise<void> {
  const { client } = stage.bench;
  await client.create(pods, {
    metadata: { name, namespace: place },
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          name: "shell",
          image: inject("release").sandbox.name,
          imagePullPolicy: "Never",
          command: ["sh", "-c", script],
          securityContext: { runAsUser: 0 },
          volumeMounts: [{ name: "node", mountPath: "/node" }],
        },
      ],
      volumes: [{ name: "node", hostPath: { path: folder, type: "DirectoryOrCreate" } }],
    },
  });
  const phase = async (): Promise<string | undefined> =>
    (await client.get(pods, { name, namespace: place })).status?.phase;
  await until(`${name} has ended`, async () => ["Succeeded", "Failed"].includes((await phase()) ?? ""));
  expect(await phase()).toBe("Succeeded");
}

it("a Run that history has pruned is still in the list of its Automation", async () => {
  const { bench } = stage;
  const { namespace, automation, automationName } = tenant;
  await apply(bench, accountOfPage(namespace));
  await bench.client.patch(
    Automation,
    { namespace, name: automationName },
    { spec: { history: { successfulLimit: 1 } } },
  );
  const started: string[] = [];
  for (const what of ["first", "second"]) {
    const { name } = (await tenant.watcher.follow(await tenant.start(what, (await samplePayload({})).body))).run
      .metadata;
    started.push(name ?? "");
  }
  await until("the first is pruned", async () => !(await tenant.runNames()).has(started[0] ?? ""));
  const page = await servePlugin(bench, pageArguments(namespace, 0));
  try {
    const { headers } = await request(page.address);
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    const list = new URL(`/api/automations/${automation}/invocations`, page.address);
    const listed = (await (await request(list, { headers: { cookie } })).body.json()) as { invocations: object[] };
    expect(listed.invocations).toMatchObject([
      { id: started[1], status: "completed" },
      { id: started[0], status: "completed" },
    ]);
  } finally {
    await page.close();
  }
  expect((await bench.client.list(Run, { namespace })).items).toHaveLength(1);
});

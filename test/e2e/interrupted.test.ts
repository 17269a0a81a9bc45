import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { clusterUp } from "../../hack/cluster/cluster.ts";
import { ensureImages, type Images } from "../../hack/images/images.ts";
import { killProcesses } from "../../hack/lib/processes.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";
import { makeNamespace } from "../support/cluster.ts";
import { until } from "../support/kube.ts";
import { withChartOfImages } from "./support/chart-of-images.ts";
import { installRelease, release } from "./support/install.ts";
import { waitForLeaving } from "./support/leaving.ts";
import { makeNarrator, type Narrator } from "./support/narrator.ts";
import { kubectl, localWorkbench, type Workbench } from "./support/workbench.ts";

// What Ctrl-C leaves of an installation, and of taking it away: the next try works.

const chart = join(import.meta.dirname, "..", "..", "charts", "runwright");
let bench: Workbench;
let narrator: Narrator;
let images: Images;

beforeAll(async () => {
  narrator = makeNarrator((line) => void process.stderr.write(line));
  bench = localWorkbench(await clusterUp(() => undefined));
  images = await ensureImages(narrator.say);
});

afterAll(() => bench.close());

/** The states that Helm has recorded of the release. */
async function recorded(): Promise<string[]> {
  const secrets = ["-n", release.namespace, "get", "secrets", "-l", `owner=helm,name=${release.name}`];
  const printed = await kubectl(bench, [...secrets, "-o", "jsonpath={.items[*].metadata.labels.status}"]);
  return printed.split(" ");
}

it("an installation follows one that was killed", async () => {
  const helm = await ensureHelm(narrator.say);
  await withChartOfImages(chart, images, async (folder) => {
    // Waits for pods that are replaced, and is killed meanwhile.
    const where = ["--namespace", release.namespace, "--wait", ...bench.helmArgs];
    const sets = ["--reset-values", "--set-string", "gateway.podAnnotations.interrupted=once"];
    const child = spawn(helm, ["upgrade", release.name, folder, ...where, ...sets], { stdio: "ignore" });
    onTestFinished(() => killProcesses([child.pid ?? 0]));
    await until("Helm is at work", async () => (await recorded()).includes("pending-upgrade"));
    child.kill("SIGKILL");
    await once(child, "close");
  });
  expect(await recorded()).toContain("pending-upgrade");

  await installRelease(bench, images, narrator);
  expect(await recorded()).not.toContain("pending-upgrade");
  expect(await recorded()).toContain("deployed");
});

it("what is still being taken away is waited for", async () => {
  const namespace = await makeNamespace("leaving");
  const held = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "held", namespace, finalizers: ["example.com/hold"] },
  };
  await kubectl(bench, ["apply", "-f", "-"], JSON.stringify(held));
  await kubectl(bench, ["delete", "namespace", namespace, "--wait=false"]);
  let isOver = false;
  const waiting = waitForLeaving(bench, [namespace, "default"], narrator).then(() => (isOver = true));
  await until("the namespace is being deleted", async () =>
    (await kubectl(bench, ["get", "namespace", namespace, "-o", "json"])).includes("deletionTimestamp"),
  );
  expect(isOver).toBe(false);
  await kubectl(bench, [
    "-n",
    namespace,
    "patch",
    "configmap",
    "held",
    "--type=merge",
    "-p",
    '{"metadata":{"finalizers":null}}',
  ]);
  await waiting;
  await expect(kubectl(bench, ["get", "namespace", namespace])).rejects.toThrow("not found");
});

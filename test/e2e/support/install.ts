import { join } from "node:path";

import { customResourceDefinitions } from "../../support/core-resources.ts";
import { run } from "../../../hack/lib/command.ts";
import { ensureHelm } from "../../../hack/toolchain/helm.ts";
import { withChartOfImages } from "./chart-of-images.ts";
import type { ReleaseImages } from "./release-images.ts";
import type { Narrator } from "./narrator.ts";
import { kubectl, type Workbench } from "./workbench.ts";
import { waitForDeployments } from "./deployments.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const ownChart = join(root, "charts", "runwright");

/** The release that demo and journey tests install. */
export const release = { name: "runwright", namespace: "runwright-system" } as const;

/** The namespace in which it keeps the hashes of keys. */
export const keysNamespace = `${release.namespace}-${release.name}-keys`;

/** How an installation differs from this checkout's. */
export interface ReleaseOptions {
  /** Folder of another commit's chart. */
  chart?: string;
  /** Values as `--set` takes them. */
  sets?: readonly string[];
}

/** Installs or upgrades the release with helm and waits until all its pods are ready. */
export async function installRelease(
  bench: Workbench,
  images: ReleaseImages,
  narrator: Narrator,
  { chart = ownChart, sets = [] }: ReleaseOptions = {},
): Promise<void> {
  await kubectl(bench, [...applyDefinitions, "-f", join(chart, "crds")]);
  await withChartOfImages(chart, images, (named) => rollOut(bench, [named], sets, narrator));
}

/** A chart in a registry on this machine, which names the images of its release. */
export interface PublishedChart {
  /** Such as `oci://127.0.0.1:5000/acme/charts/runwright`. */
  reference: string;
  version: string;
}

/** The same from a published chart, with the images that it names. */
export async function installPublished(
  bench: Workbench,
  chart: PublishedChart,
  narrator: Narrator,
  sets: readonly string[] = [],
): Promise<void> {
  const crds = await showPublished("crds", chart, narrator);
  await kubectl(bench, [...applyDefinitions, "-f", "-"], crds);
  await rollOut(bench, sourceOf(chart), sets, narrator);
}

/** What `helm show` prints of a published chart. */
export async function showPublished(what: string, chart: PublishedChart, narrator: Narrator): Promise<string> {
  return run(await ensureHelm(narrator.say), ["show", what, ...sourceOf(chart)]);
}

function sourceOf({ reference, version }: PublishedChart): string[] {
  return [reference, "--version", version, "--plain-http"];
}

/** Helm never changes CRDs that are there; those of an earlier commit may be. */
const applyDefinitions = ["apply", "--server-side", "--force-conflicts", "--field-manager=demo"];

async function rollOut(
  bench: Workbench,
  chart: readonly string[],
  sets: readonly string[],
  narrator: Narrator,
): Promise<void> {
  const helm = await ensureHelm(narrator.say);
  const values = ["--reset-values", ...sets.flatMap((value) => ["--set", value])];
  const where = ["--namespace", release.namespace, "--create-namespace", ...bench.helmArgs];
  await forgetInterrupted(bench);
  await narrator.during("helm upgrade --install", () =>
    run(helm, ["upgrade", "--install", release.name, ...chart, ...where, ...values]),
  );
  const names = ["controller", "ingress", "gateway"].map((process) => `${release.name}-${process}`);
  await waitForDeployments(bench, { namespace: release.namespace, names }, narrator);
}

/** Helm refuses to work on a release that it was killed at; without that record it goes on from the one before, or installs anew. */
async function forgetInterrupted(bench: Workbench): Promise<void> {
  const states = "pending-install,pending-upgrade,pending-rollback,uninstalling";
  const records = ["-l", `owner=helm,name=${release.name},status in (${states})`, "--ignore-not-found"];
  await kubectl(bench, ["-n", release.namespace, "delete", "secrets", ...records]);
}

/** Whether the cluster knew our kinds before we came. */
export async function hasDefinitions({ client }: Workbench): Promise<boolean> {
  return (await client.find(customResourceDefinitions, { name: "automations.runwright.dev" })) !== undefined;
}

/** Takes the release out of a cluster that stays; `definitions` says whether our kinds go too. */
export async function uninstallRelease(bench: Workbench, definitions: boolean, narrator: Narrator): Promise<void> {
  const helm = await ensureHelm(narrator.say);
  const where = ["--namespace", release.namespace, "--ignore-not-found", "--wait", ...bench.helmArgs];
  await narrator.during("helm uninstall", () => run(helm, ["uninstall", release.name, ...where]));
  // A namespace that still has pods is looked at again only after half of their grace period.
  const pods = ["pods", "--all", "--for=delete", "--timeout=240s", "--namespace", release.namespace];
  await narrator.during("waiting for the last pods", () => kubectl(bench, ["wait", ...pods]));
  const leftovers = ["delete", "namespace", keysNamespace, release.namespace, "--ignore-not-found"];
  await narrator.during("deleting the release's namespaces", () => kubectl(bench, leftovers));
  if (definitions) await kubectl(bench, ["delete", "-f", join(ownChart, "crds"), "--ignore-not-found"]);
}

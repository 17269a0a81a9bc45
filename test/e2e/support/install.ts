import { join } from "node:path";

import { customResourceDefinitions } from "../../support/core-resources.ts";
import { run } from "../../../hack/lib/command.ts";
import { ensureHelm } from "../../../hack/toolchain/helm.ts";
import type { Narrator } from "./narrator.ts";
import { kubectl, type Workbench } from "./workbench.ts";
import { waitForDeployments } from "./deployments.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const ownChart = join(root, "charts", "runwright");

/** The release that demo and journey tests install. */
export const release = { name: "runwright", namespace: "runwright-system" } as const;

/** One image reference, as the chart takes it. */
export interface ImageReference {
  repository: string;
  tag: string;
}

/** Which images the release runs with. */
export interface ReleaseImages {
  operator: ImageReference;
  sandbox: ImageReference;
}

/** How an installation differs from this checkout's. */
export interface ReleaseOptions {
  /** Folder of another commit's chart. */
  chart?: string;
  /** Values as `--set-string` takes them. */
  sets?: readonly string[];
}

/** Installs or upgrades the release with helm and waits until all its pods are ready. */
export async function installRelease(
  bench: Workbench,
  images: ReleaseImages,
  narrator: Narrator,
  { chart = ownChart, sets = [] }: ReleaseOptions = {},
): Promise<void> {
  const helm = await ensureHelm(narrator.say);
  // Helm never changes CRDs that are there; those of an earlier commit may be.
  const crds = join(chart, "crds");
  await kubectl(bench, ["apply", "--server-side", "--force-conflicts", "--field-manager=demo", "-f", crds]);
  const values = [
    `image.repository=${images.operator.repository}`,
    `image.tag=${images.operator.tag}`,
    `sandbox.image.repository=${images.sandbox.repository}`,
    `sandbox.image.tag=${images.sandbox.tag}`,
    ...sets,
  ].flatMap((value) => ["--set-string", value]);
  const where = ["--namespace", release.namespace, "--create-namespace", ...bench.helmArgs];
  await narrator.during("helm upgrade --install", () =>
    run(helm, ["upgrade", "--install", release.name, chart, ...where, ...values]),
  );
  const names = ["controller", "ingress", "gateway"].map((process) => `${release.name}-${process}`);
  await waitForDeployments(bench, { namespace: release.namespace, names }, narrator);
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
  const pods = ["pods", "--all", "--for=delete", "--timeout=60s", "--namespace", release.namespace];
  await narrator.during("waiting for the last pods", () => kubectl(bench, ["wait", ...pods]));
  const keys = `${release.namespace}-${release.name}-keys`;
  const leftovers = ["delete", "namespace", keys, release.namespace, "--ignore-not-found"];
  await narrator.during("deleting the release's namespaces", () => kubectl(bench, leftovers));
  if (definitions) await kubectl(bench, ["delete", "-f", join(ownChart, "crds"), "--ignore-not-found"]);
}

import { readFile } from "node:fs/promises";

import { KubeConfig } from "@kubernetes/client-node";
import type { TestProject } from "vitest/node";

import { clusterUp, type LocalCluster, whyNoCluster } from "../../hack/cluster/cluster.ts";
import type { Progress } from "../../hack/lib/progress.ts";
import { release } from "../e2e/support/install.ts";
import { openInstalledRelease } from "../e2e/support/installed-release.ts";
import { makeNarrator } from "../e2e/support/narrator.ts";
import type { BuiltImage } from "../../hack/images/build-image.ts";
import type { TestCluster } from "./cluster.ts";

/** The release of the e2e project and the image that its sandboxes run by default. */
export interface ReleaseUnderTest {
  name: string;
  namespace: string;
  sandbox: BuiltImage;
}

declare module "vitest" {
  interface ProvidedContext {
    release: ReleaseUnderTest;
  }
}

/** A real cluster with our images and the chart installed, for all test files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reason = await whyNoCluster();
  if (reason !== undefined) throw new Error(`journey tests cannot run here: ${reason}`);
  return installOn(clusterUp, project);
}

/** Brings a cluster up, installs the release, and gives what undoes both. */
export async function installOn(
  up: (progress: Progress) => Promise<LocalCluster>,
  project: TestProject,
): Promise<() => Promise<void>> {
  const narrator = makeNarrator((line) => void process.stderr.write(line));
  const { cluster, images, close } = await openInstalledRelease(up, narrator);
  try {
    project.provide("testCluster", await describe(cluster.kubeconfig, cluster.kubectl));
    project.provide("release", {
      ...release,
      sandbox: images.sandbox,
    });
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

async function describe(kubeconfig: string, kubectl: string): Promise<TestCluster> {
  const config = new KubeConfig();
  config.loadFromString(await readFile(kubeconfig, "utf8"));
  const pem = (base64: string | undefined): string => Buffer.from(base64 ?? "", "base64").toString();
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  return {
    kubeconfig,
    kubectl,
    server: cluster?.server ?? "",
    certificateAuthority: pem(cluster?.caData),
    clientCertificate: pem(user?.certData),
    clientKey: pem(user?.keyData),
  };
}

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { makeServerCertificate } from "./certificates.ts";
import { gitHost, gitServerName, gitServerObjects, sampleUrl } from "./git-server-objects.ts";
import { addressesOf } from "./in-cluster-server.ts";
import type { Narrator } from "./narrator.ts";
import { sampleFiles } from "./sample-files.ts";
import { waitForDeployments } from "./deployments.ts";
import { apply, type Workbench } from "./workbench.ts";

/** A git server in the cluster and what a client needs for it. */
export interface GitServer {
  namespace: string;
  url: string;
  /** PEM of the authority that signed the server's certificate. */
  authority: string;
  credential: { username: string; password: string };
  /** Addresses of Service and pod, each as a range of one, for network policies. */
  addresses: string[];
}

const program = join(import.meta.dirname, "git-server", "server.mjs");

/** Starts a git server that holds the sample repository; its certificate and password are new each time. */
export async function startGitServer(
  bench: Workbench,
  namespace: string,
  image: string,
  narrator: Narrator,
): Promise<GitServer> {
  const credential = { username: "runwright", password: randomBytes(24).toString("base64url") };
  const host = gitHost(namespace);
  const certificate = await makeServerCertificate([host, `${host}.cluster.local`]);
  const parts = { namespace, image, certificate, credential, sample: await sampleFiles() };
  await apply(bench, gitServerObjects({ ...parts, program: await readFile(program, "utf8") }));
  await waitForDeployments(bench, { namespace, names: [gitServerName] }, narrator);
  const addresses = await addressesOf(bench, { namespace, name: gitServerName });
  return { namespace, url: sampleUrl(namespace), authority: certificate.authority, credential, addresses };
}

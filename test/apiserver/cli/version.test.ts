import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";

import { type CliResult, runPlugin } from "../../support/cli.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { grant } from "../api/users.ts";

const root = join(import.meta.dirname, "..", "..", "..");

let client: string;
let folder: string;
let namespace: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-version-"));
  client = (JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string }).version;
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  namespace = await makeNamespace("version");
});

/** A Deployment as the chart makes it for a process; without a version label where there is no version. */
async function deploy(process: string, version?: string, release = "runwright"): Promise<void> {
  const selected = { "app.kubernetes.io/name": "runwright", "app.kubernetes.io/instance": release };
  const labels = { ...selected, "app.kubernetes.io/component": process };
  const spec = {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: process, image: "runwright" }] } },
  };
  const metadata = {
    name: `${release}-${process}`,
    labels: { ...labels, ...(version !== undefined && { "app.kubernetes.io/version": version }) },
  };
  const { status } = await testApi().send("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec,
  });
  expect(status).toBe(201);
}

async function deployAll(version: string): Promise<void> {
  for (const process of ["ingress", "controller", "gateway"]) await deploy(process, version);
}

function call(...more: string[]): Promise<CliResult> {
  return callWith(testCluster().kubeconfig, ...more);
}

function callWith(kubeconfig: string, ...more: string[]): Promise<CliResult> {
  return runPlugin(["version", "--release-namespace", namespace, "--kubeconfig", kubeconfig, ...more]);
}

/** Path of a changed copy of the admin's kubeconfig. */
async function kubeconfigWith(changed: { user?: object; cluster?: object }): Promise<string> {
  const config = parse(await readFile(testCluster().kubeconfig, "utf8")) as {
    users: { user: object }[];
    clusters: { cluster: object }[];
  };
  for (const { user } of config.users) Object.assign(user, changed.user);
  for (const { cluster } of config.clusters) Object.assign(cluster, changed.cluster);
  const path = join(folder, `kubeconfig-${namespace}`);
  await writeFile(path, stringify(config));
  return path;
}

describe("version", () => {
  it("shows both where they are the same", async () => {
    await deployAll(client);
    expect(await call()).toEqual({ status: 0, out: `Client: ${client}\nServer: ${client}\n`, err: "" });
  });

  it("says which plugin fits where they differ", async () => {
    await deployAll("9.8.7");
    const { status, out } = await call();
    expect(status).toBe(0);
    expect(out).toMatch(/^Client: .+\nServer: 9\.8\.7\n\n.*Install the plugin of release 9\.8\.7\.\n$/);
  });

  it.each(["json", "yaml"])("prints %s with each process", async (format) => {
    await deploy("gateway", "9.8.7");
    await deploy("controller", client);
    const { out } = await call("-o", format);
    expect(format === "json" ? JSON.parse(out) : parse(out)).toEqual({
      clientVersion: client,
      serverVersion: `${client} (controller), 9.8.7 (gateway)`,
      comparison: "Mixed",
      message: expect.stringContaining("upgrade") as string,
      release: { name: "runwright", namespace },
      processes: [
        { process: "controller", version: client },
        { process: "gateway", version: "9.8.7" },
      ],
    });
  });

  it("looks at the release that it is asked for", async () => {
    await deployAll("9.8.7");
    await deploy("controller", "1.0.0", "second");
    expect((await call("--release", "second")).out).toContain("Server: 1.0.0\n");
  });

  it.each([
    { what: "no Deployment", prepare: () => Promise.resolve() },
    { what: "no Deployment with a version label", prepare: () => deploy("controller") },
  ])("fails behind its own version when there is $what", async ({ what, prepare }) => {
    await prepare();
    const { status, out, err } = await call();
    expect({ status, out }).toEqual({ status: 1, out: `Client: ${client}\n` });
    expect(err).toContain(`found ${what} of release "runwright" in namespace "${namespace}"`);
    expect(err).toContain("--release-namespace");
  });

  it("says that the caller may not look, and works with the right to", async () => {
    await deployAll(client);
    const kubeconfig = await kubeconfigWith({ user: { as: "reader" } });
    const { status, out, err } = await callWith(kubeconfig);
    expect({ status, out }).toEqual({ status: 1, out: `Client: ${client}\n` });
    expect(err).toMatch(/the operator's version is unknown: .*deployments.* is forbidden.*\n.*role view/);
    await grant(namespace, "reader", [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] }]);
    expect(await callWith(kubeconfig)).toMatchObject({ status: 0 });
  });

  it("says that the cluster cannot be reached", async () => {
    const kubeconfig = await kubeconfigWith({ cluster: { server: "https://127.0.0.1:1" } });
    const { status, out, err } = await callWith(kubeconfig, "-o", "json");
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ clientVersion: client, comparison: "Unknown" });
    expect(err).toContain("the operator's version is unknown");
    expect(err).toContain("kubectl cluster-info");
  });

  it.each([
    { format: [], want: (version: string) => `Client: ${version}\n` },
    { format: ["-o", "yaml"], want: (version: string) => `clientVersion: ${version}\n` },
  ])("--client $format asks no cluster", async ({ format, want }) => {
    const argv = ["version", "--client", "--kubeconfig", "/no/such/file", ...format];
    expect(await runPlugin(argv)).toEqual({ status: 0, out: want(client), err: "" });
  });

  it("says that there is no kubeconfig, behind its own version", async () => {
    expect(await runPlugin(["version", "--kubeconfig", "/no/such/file"])).toMatchObject({
      status: 1,
      out: `Client: ${client}\n`,
      err: expect.stringContaining("the kubeconfig /no/such/file cannot be read") as string,
    });
  });
});

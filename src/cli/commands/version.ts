import packageJson from "../../../package.json" with { type: "json" };
import { builtIn } from "../../kube/core-resources.ts";
import { KubeError } from "../../kube/errors.ts";
import type { KubeObject } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { defineCommand } from "../command.ts";
import { releaseOf } from "../gateway/gateway-target.ts";
import { explainFailure } from "../output/explain-failure.ts";
import { compareVersions, type ProcessVersion } from "./compare-versions.ts";

const deployments = builtIn<KubeObject>("apps", "Deployment", "deployments");

/** How long the cluster may take to answer; a person waits. */
const timeoutMs = 10_000;

type Release = ReturnType<typeof releaseOf>;

export const version = defineCommand({
  name: "version",
  summary: "show the versions of this plugin and of the cluster's operator",
  details:
    "The operator's version is what the labels of its Deployments say, so you need permission to list deployments in the namespace of the installation. Fails if it cannot be found out; --client does not ask the cluster.",
  parameters: [],
  flags: { client: { about: "show the version of this plugin alone" } },
  formats: ["json", "yaml"],
  examples: ["version", "version --client -o json", "version --release-namespace agents"],
  async run({ flags, cluster }) {
    const client = packageJson.version;
    const clientLine = `Client: ${client}`;
    if (flags.client) return { text: clientLine, json: { clientVersion: client } };
    const release = releaseOf(flags);
    const found = await versionsOrFailure(cluster, release);
    if (typeof found === "string") {
      const failure = `the operator's version is unknown: ${found}`;
      return { text: clientLine, json: { clientVersion: client, comparison: "Unknown", message: failure }, failure };
    }
    const { server, comparison, message } = compareVersions(client, found);
    return {
      text: [clientLine, `Server: ${server}`, ...(message === undefined ? [] : ["", message])].join("\n"),
      json: {
        clientVersion: client,
        serverVersion: server,
        comparison,
        ...(message !== undefined && { message }),
        release,
        processes: found,
      },
    };
  },
});

/** The versions of the operator's processes, or why they are unknown. */
async function versionsOrFailure(cluster: () => Cluster, release: Release): Promise<ProcessVersion[] | string> {
  try {
    return await versionsOf(cluster(), release);
  } catch (error) {
    if (error instanceof KubeError || error instanceof CliError) return explainFailure(error);
    throw error;
  }
}

/** The version of each process of the release, in the order of their names. @throws CliError when no process has one */
async function versionsOf({ client }: Pick<Cluster, "client">, release: Release): Promise<ProcessVersion[]> {
  const labelSelector = `app.kubernetes.io/name=runwright,app.kubernetes.io/instance=${release.name}`;
  const { items } = await client.list(deployments, { namespace: release.namespace, labelSelector, timeoutMs });
  const versions = items.flatMap(({ metadata: { labels = {} } }) => {
    const { "app.kubernetes.io/component": process, "app.kubernetes.io/version": version } = labels;
    return process === undefined || version === undefined ? [] : [{ process, version }];
  });
  if (versions.length > 0) return versions.toSorted((a, b) => (a.process < b.process ? -1 : 1));
  const found = items.length === 0 ? "no Deployment" : "no Deployment with a version label";
  throw new CliError(
    `found ${found} of release "${release.name}" in namespace "${release.namespace}"\n` +
      "Name the installation with --release and --release-namespace",
  );
}

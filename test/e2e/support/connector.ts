import { apiVersion, Integration } from "../../../src/api/v1alpha1/index.ts";
import { ensureImages } from "../../../hack/images/images.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { waitForDeployments } from "./deployments.ts";
import { installRelease, release } from "./install.ts";
import type { Stage, Tenant } from "./tenant.ts";
import { accountName } from "./tenant-objects.ts";
import { apply } from "./workbench.ts";

/** Installs the release with the connector and waits until it is there; `sets` are chart values, such as `connector.slackURL=URL`. */
export async function installConnector(stage: Stage, sets: readonly string[]): Promise<void> {
  await install(stage, ["connector.enabled=true", ...sets]);
  const connector = { namespace: release.namespace, names: [`${release.name}-connector`] };
  await waitForDeployments(stage.bench, connector, stage.narrator);
}

/** Installs the release without the connector again. */
export function removeConnector(stage: Stage): Promise<void> {
  return install(stage, []);
}

async function install({ bench, narrator }: Stage, sets: readonly string[]): Promise<void> {
  await installRelease(bench, await ensureImages(narrator.say), narrator, { sets });
}

/** An Integration of a tenant with its Secret, both of which have this name. */
export interface MadeIntegration {
  name: string;
  /** Of the Secret. */
  secrets: Readonly<Record<string, string>>;
  /** Of the Integration, without ServiceAccount, class and Secrets. */
  spec: object;
}

/** Makes an Integration and waits until it is ready. */
export async function makeIntegration(
  { bench }: Stage,
  { namespace }: Tenant,
  { name, secrets, spec }: MadeIntegration,
): Promise<void> {
  const secretRef = { name };
  const common = { serviceAccountName: accountName, sandboxClassName: namespace };
  const references = { signingSecretRef: secretRef, credentialsSecretRef: secretRef };
  await apply(bench, [
    { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: secrets },
    {
      apiVersion,
      kind: "Integration",
      metadata: { name, namespace },
      spec: { ...common, ...references, ...spec },
    },
  ]);
  const isReady = async (): Promise<boolean> => {
    const found = await bench.client.get(Integration, { namespace, name });
    return conditionOf(found, "Ready")?.status === "True";
  };
  await until("the Integration is ready", isReady);
}

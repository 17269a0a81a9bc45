import { Buffer } from "node:buffer";
import { annotations, type Automation, keySecretName, labels } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { SourceKey } from "./facts.ts";

/** The Secret and data key that an automation names for its key's hash or its signing secret; undefined without one. */
export function keySourceOf({ spec: { trigger } }: Automation): { name: string; key: string } | undefined {
  return trigger.webhook?.keyHashSecretRef ?? trigger.webhook?.authentication?.hmac?.secretRef;
}

/** A copy of what is in the Secret that the automation names, in the namespace that the ingress may read. */
export function makeKeyCopy(
  automation: Automation,
  { dataKey, value }: Extract<SourceKey, { state: "found" }>,
  keysNamespace: string,
): Secret {
  const { namespace = "", uid = "" } = automation.metadata;
  const source = keySourceOf(automation);
  return {
    metadata: {
      name: keySecretName(uid),
      namespace: keysNamespace,
      labels: { [labels.automationUid]: uid, [labels.automationNamespace]: namespace },
      annotations: { [annotations.copiedFrom]: `${namespace}/${source?.name ?? ""}/${source?.key ?? ""}` },
    },
    type: "Opaque",
    data: { [dataKey]: Buffer.from(value).toString("base64") },
  };
}

/** Whether the key was copied from another Secret, and not issued. */
export function isCopy({ metadata }: Secret): boolean {
  return metadata.annotations?.[annotations.copiedFrom] !== undefined;
}

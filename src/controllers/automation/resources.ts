import { Buffer } from "node:buffer";
import { annotations, type Automation, keyHashDataKey, keySecretName, labels } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";

/** A copy of the hash from the Secret that the automation names, in the namespace that the ingress may read. */
export function makeKeyCopy(automation: Automation, hash: string, keysNamespace: string): Secret {
  const { namespace = "", uid = "" } = automation.metadata;
  const source = automation.spec.trigger.webhook?.keyHashSecretRef;
  return {
    metadata: {
      name: keySecretName(uid),
      namespace: keysNamespace,
      labels: { [labels.automationUid]: uid, [labels.automationNamespace]: namespace },
      annotations: { [annotations.copiedFrom]: `${namespace}/${source?.name ?? ""}/${source?.key ?? ""}` },
    },
    type: "Opaque",
    data: { [keyHashDataKey]: Buffer.from(hash).toString("base64") },
  };
}

/** Whether the hash was copied from another Secret, and not issued. */
export function isCopy({ metadata }: Secret): boolean {
  return metadata.annotations?.[annotations.copiedFrom] !== undefined;
}

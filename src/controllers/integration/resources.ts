import { Buffer } from "node:buffer";

import { type Integration, integrationSecretName, labels } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";

/** The text of a Secret's key without a line break at its end; undefined where it is empty. */
export function textOf(secret: Secret | undefined, key: string): string | undefined {
  const text = Buffer.from(secret?.data?.[key] ?? "", "base64").toString("utf8");
  const trimmed = text.replace(/\r?\n$/, "");
  return trimmed === "" ? undefined : trimmed;
}

/** A copy of these keys of a Secret; keys that the source lacks are empty, as a merge patch would keep them. */
export function makeCopy(
  { metadata: { uid = "", namespace: integrationNamespace = "" } }: Integration,
  source: Secret,
  { namespace, keys }: { namespace: string; keys: readonly string[] },
): Secret {
  const data = keys.map((key) => [key, Buffer.from(textOf(source, key) ?? "").toString("base64")]);
  return {
    metadata: {
      namespace,
      name: integrationSecretName(uid),
      labels: { [labels.integrationUid]: uid, [labels.integrationNamespace]: integrationNamespace },
    },
    type: "Opaque",
    data: Object.fromEntries(data) as Record<string, string>,
  };
}

export function isSameCopy(stored: Secret, wanted: Secret): boolean {
  const keys = Object.keys(wanted.data ?? {});
  return keys.every((key) => (stored.data?.[key] ?? "") === wanted.data?.[key]);
}

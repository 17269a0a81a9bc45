import { Buffer } from "node:buffer";
import type { Bundle } from "../api/runtime/bundle.ts";
import { attemptName, bundleDataKey, labels } from "../api/v1alpha1/names.ts";
import type { Secret } from "../kube/core-resources.ts";
import { type Release, releaseLabel } from "./labels.ts";

/** The Secret in the sessions namespace that holds what one attempt needs to boot. It never changes. */
export function makeBundleSecret(bundle: Bundle, sessionsNamespace: string, release: Release): Secret {
  const { uid, name, namespace, attempt } = bundle.session;
  return {
    metadata: {
      name: attemptName(uid, attempt),
      namespace: sessionsNamespace,
      labels: {
        [labels.release]: releaseLabel(release),
        [labels.sessionUid]: uid,
        [labels.sessionName]: name,
        [labels.sessionNamespace]: namespace,
        [labels.attempt]: String(attempt),
      },
    },
    type: "runwright.dev/bundle",
    immutable: true,
    data: { [bundleDataKey]: Buffer.from(JSON.stringify(bundle), "utf8").toString("base64") },
  };
}

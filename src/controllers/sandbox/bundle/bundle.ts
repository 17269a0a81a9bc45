import { Buffer } from "node:buffer";
import type { Bundle } from "../../../api/runtime/bundle.ts";
import type { GitHubAppAccess, GitHubApps } from "../../../api/runtime/github-apps.ts";
import { attemptName, bundleDataKey, githubAppsDataKey, labels } from "../../../api/v1alpha1/names.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { distantOwnerLabels } from "../../../domain/attempts/owner-labels.ts";
import type { AttemptOwner } from "../owner.ts";
import { type Release, releaseLabel } from "../labels.ts";

/**
 * The Secret in the sessions namespace that holds what one attempt needs to boot: the runtime its bundle, the gateway the
 * keys that it mints credentials from. It never changes.
 */
export function makeBundleSecret(
  owner: Pick<AttemptOwner, "resource" | "metadata">,
  { bundle, githubApps }: { bundle: Bundle; githubApps: readonly GitHubAppAccess[] },
  { sessionsNamespace, release }: { sessionsNamespace: string; release: Release },
): Secret {
  const apps: GitHubApps = { version: 1, repositories: [...githubApps] };
  const { uid, attempt } = bundle.session;
  return {
    metadata: {
      name: attemptName(uid, attempt),
      namespace: sessionsNamespace,
      labels: {
        [labels.release]: releaseLabel(release),
        ...distantOwnerLabels(owner),
        [labels.attempt]: String(attempt),
      },
    },
    type: "runwright.dev/bundle",
    immutable: true,
    data: {
      [bundleDataKey]: encoded(bundle),
      ...(githubApps.length === 0 ? {} : { [githubAppsDataKey]: encoded(apps) }),
    },
  };
}

function encoded(document: object): string {
  return Buffer.from(JSON.stringify(document), "utf8").toString("base64");
}

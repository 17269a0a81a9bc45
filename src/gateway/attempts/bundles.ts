import { Buffer } from "node:buffer";
import { Bundle } from "../../api/runtime/bundle.ts";
import { type GitHubAppAccess, GitHubApps } from "../../api/runtime/github-apps.ts";
import { bundleDataKey, githubAppsDataKey } from "../../api/v1alpha1/names.ts";
import { ownerUidOf } from "../../domain/attempts/owner-labels.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { parseJson } from "../http/parse-json.ts";
import type { Attempt } from "./attempt.ts";

/** The bundle Secret of an attempt is missing or invalid; the controller may write it later. */
export class BundleUnavailableError extends Error {
  override readonly name = "BundleUnavailableError";
}

/** Bundles that the controller stores in the sessions namespace. */
export class Bundles {
  readonly #deps: { client: KubeClient; namespace: string };

  constructor(deps: { client: KubeClient; namespace: string }) {
    this.#deps = deps;
  }

  /** The attempt's bundle Secret, read from the API server. @throws BundleUnavailableError */
  async secret(attempt: Attempt): Promise<Secret> {
    const secret = await this.#deps.client.find(secrets, { namespace: this.#deps.namespace, name: attempt.name });
    if (!secret) throw new BundleUnavailableError("the bundle Secret is not there");
    if (ownerUidOf(secret.metadata) !== attempt.sessionUid) {
      throw new BundleUnavailableError("the bundle Secret is not labelled with the owner's UID");
    }
    return secret;
  }

  /** The bundle for the runtime. @throws BundleUnavailableError */
  async read(attempt: Attempt): Promise<Bundle> {
    const bundle = parseJson(Bundle, textOf(await this.secret(attempt), bundleDataKey));
    if (!bundle) throw new BundleUnavailableError(`the bundle Secret holds no bundle in ${bundleDataKey}`);
    const { session } = bundle;
    if (session.uid !== attempt.sessionUid || session.attempt !== attempt.attempt) {
      throw new BundleUnavailableError("the bundle is another attempt's");
    }
    return bundle;
  }

  /** GitHub Apps of the attempt's repositories. @throws BundleUnavailableError */
  async githubApps(attempt: Attempt): Promise<readonly GitHubAppAccess[]> {
    const secret = await this.secret(attempt);
    if (secret.data?.[githubAppsDataKey] === undefined) return [];
    const apps = parseJson(GitHubApps, textOf(secret, githubAppsDataKey));
    if (!apps) throw new BundleUnavailableError(`the bundle Secret holds no keys in ${githubAppsDataKey}`);
    return apps.repositories;
  }
}

function textOf({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
}

import { reasons, type Repository } from "../../../api/v1alpha1/index.ts";
import type { ScopeSource } from "../../sandbox/secrets/scope.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { bundleRepository, secretRefsOf } from "../../sandbox/bundle/bundle-repository.ts";
import type { GitHubConfig } from "../../sandbox/bundle/github-app.ts";
import type { Refusal } from "../../sandbox/refusal.ts";
import { readScope, sourceOf } from "../../sandbox/secrets/scope-secret.ts";
import { sessionSecrets } from "../../sandbox/secrets/session-secrets.ts";
import type { EnvironmentFacts, RepositoryFacts } from "../facts.ts";

/** How often Secrets, which are not watched, are read again. */
const rereadMs = 60_000;

/** Whether an object can be used, and when Secrets are read again. */
export interface Readiness {
  problem: { reason: string; message: string } | undefined;
  requeueMs?: number | undefined;
}

/** A Repository can be used when its Secrets exist and hold what a sandbox needs. */
export function judgeRepository(
  repository: Repository,
  secrets: RepositoryFacts["secrets"],
  github: GitHubConfig,
): Readiness {
  const { metadata, spec } = repository;
  const { secretRef } = spec;
  const entry = bundleRepository(repository, secrets, github);
  const [source] = sourceOf("repository", { name: metadata.name ?? "", secretRef });
  return {
    problem: entry.ok ? scopeRefusal(source, secrets.scope, metadata.namespace) : entry.refusal,
    requeueMs: secretRef || Object.values(secretRefsOf(repository)).some(Boolean) ? rereadMs : undefined,
  };
}

/** An Environment can be used when its Repositories exist and its own Secret holds what a sandbox needs. */
export function judgeEnvironment({ object, missingRepositories: missing, secrets }: EnvironmentFacts): Readiness {
  const { metadata, spec } = object;
  const requeueMs = spec.secretRef ? rereadMs : undefined;
  if (missing.length > 0) {
    const message = `There is no Repository ${missing.join(", ")}`;
    return { problem: { reason: reasons.repositoryNotFound, message }, requeueMs };
  }
  const [source] = sourceOf("environment", { name: metadata.name ?? "", secretRef: spec.secretRef });
  return { problem: scopeRefusal(source, secrets.scope, metadata.namespace), requeueMs };
}

function scopeRefusal(
  source: ScopeSource | undefined,
  secret: Secret | undefined,
  namespace: string | undefined,
): Refusal | undefined {
  if (!source) return undefined;
  const read = readScope(source, secret, namespace ?? "");
  if (!read.ok) return read.refusal;
  const judged = sessionSecrets([read.value]);
  return judged.ok ? undefined : judged.refusal;
}

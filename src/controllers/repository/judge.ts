import { type Environment, reasons, type Repository } from "../../api/v1alpha1/index.ts";
import type { ScopeSource } from "../sandbox/secrets/scope.ts";
import type { Secret } from "../../kube/core-resources.ts";
import { bundleRepository, type RepositorySecrets, secretRefsOf } from "../sandbox/bundle/bundle-repository.ts";
import type { GitHubConfig } from "../sandbox/bundle/github-app.ts";
import type { Refusal } from "../sandbox/refusal.ts";
import { readScope, sourceOf } from "../sandbox/secrets/scope-secret.ts";
import { sessionSecrets } from "../sandbox/secrets/session-secrets.ts";
import type { Readiness } from "./readiness.ts";

/** How often the Secrets that nobody tells us of are read again. */
const rereadMs = 60_000;

/** The Secret of `secretRef` as it was found. */
interface ScopeSecret {
  scope: Secret | undefined;
}

/** A Repository can be used when a sandbox would get what it needs of it: the Secrets are there and hold it. */
export function judgeRepository(
  repository: Repository,
  secrets: RepositorySecrets & ScopeSecret,
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

/** An Environment can be used when its Repositories are there and its own secrets hold what they should. */
export function judgeEnvironment(
  { metadata, spec }: Environment,
  isThere: (repository: string) => boolean,
  { scope }: ScopeSecret,
): Readiness {
  const requeueMs = spec.secretRef ? rereadMs : undefined;
  const missing = spec.repositoryRefs.map(({ name }) => name).filter((name) => !isThere(name));
  if (missing.length > 0) {
    const message = `There is no Repository ${missing.join(", ")}`;
    return { problem: { reason: reasons.repositoryNotFound, message }, requeueMs };
  }
  const [source] = sourceOf("environment", { name: metadata.name ?? "", secretRef: spec.secretRef });
  return { problem: scopeRefusal(source, scope, metadata.namespace), requeueMs };
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

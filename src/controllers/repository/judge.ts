import { type Environment, reasons, type Repository } from "../../api/v1alpha1/index.ts";
import { bundleRepository, type RepositorySecrets } from "../../sandbox/bundle-repository.ts";
import type { Readiness } from "./readiness.ts";

/** How often the Secrets that nobody tells us of are read again. */
const rereadMs = 60_000;

/** A Repository can be used when a sandbox would get what it needs of it: the Secrets are there and hold it. */
export function judgeRepository(repository: Repository, secrets: RepositorySecrets): Readiness {
  const { credentialSecretRef, caSecretRef } = repository.spec;
  const entry = bundleRepository(repository, secrets);
  return {
    problem: entry.ok ? undefined : entry.refusal,
    requeueMs: credentialSecretRef || caSecretRef ? rereadMs : undefined,
  };
}

/** An Environment can be used when its Repositories are there. */
export function judgeEnvironment({ spec }: Environment, isThere: (repository: string) => boolean): Readiness {
  const missing = spec.repositoryRefs.map(({ name }) => name).filter((name) => !isThere(name));
  if (missing.length === 0) return { problem: undefined };
  const message = `There is no Repository ${missing.join(", ")}`;
  return { problem: { reason: reasons.repositoryNotFound, message } };
}

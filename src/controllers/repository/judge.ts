import { Buffer } from "node:buffer";
import { type Environment, reasons, type Repository } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { Readiness } from "./readiness.ts";

/** How often the Secrets that nobody tells us of are read again. */
const rereadMs = 60_000;

/** The Secrets that a Repository names; undefined where they are not there. */
export interface RepositorySecrets {
  credential: Secret | undefined;
  ca: Secret | undefined;
}

/** A Repository can be used when the Secrets that it names are there and hold what they must. */
export function judgeRepository({ spec }: Repository, secrets: RepositorySecrets): Readiness {
  const { credentialSecretRef, caSecretRef } = spec;
  const problem =
    (credentialSecretRef && secretProblem(credentialSecretRef.name, secrets.credential, "password")) ??
    (caSecretRef && secretProblem(caSecretRef.name, secrets.ca, "ca.crt"));
  return { problem, requeueMs: credentialSecretRef || caSecretRef ? rereadMs : undefined };
}

/** An Environment can be used when its Repositories are there. */
export function judgeEnvironment({ spec }: Environment, isThere: (repository: string) => boolean): Readiness {
  const missing = spec.repositoryRefs.map(({ name }) => name).filter((name) => !isThere(name));
  if (missing.length === 0) return { problem: undefined };
  const message = `There is no Repository ${missing.join(", ")}`;
  return { problem: { reason: reasons.repositoryNotFound, message } };
}

function secretProblem(name: string, secret: Secret | undefined, key: string): Readiness["problem"] {
  if (!secret) return { reason: reasons.secretNotFound, message: `There is no Secret ${name}` };
  const isFilled = Buffer.from(secret.data?.[key] ?? "", "base64").length > 0;
  return isFilled ? undefined : { reason: reasons.invalidSecret, message: `Secret ${name} has no ${key}` };
}

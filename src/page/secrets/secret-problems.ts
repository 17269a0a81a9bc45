import {
  isReservedSecretKey,
  secretKeyPattern,
  secretLimits,
  secretRefusals,
} from "../../api/v1alpha1/secret-scopes.ts";
import { signingSecretProblem } from "../../domain/deliveries/signing-secret-problem.ts";
import { formLimits } from "../generated/form-limits.ts";
import { optionalProblem, textProblem } from "../parts/text-problem.ts";
import type { SecretEntry, SecretForm } from "./secret-manifest.ts";

type FieldName = "name" | "namespace" | "scopeName" | "secret" | "entries";

/** Why the API server or the platform would refuse fields of the form; those that they take are left out. */
export interface SecretProblems {
  fields: Partial<Record<FieldName, string>>;
  /** Of each entry in turn. */
  entries: readonly { key?: string | undefined; value?: string | undefined }[];
}

export function secretProblems(form: SecretForm): SecretProblems {
  const { use, scope, name, namespace, scopeName, entries } = form;
  const isScope = use === "Variables";
  const isGlobal = isScope && scope === "global";
  const found: Record<FieldName, string | undefined> = {
    name: isGlobal ? undefined : textProblem(formLimits.secretName, name),
    namespace: optionalProblem(formLimits.objectName, namespace),
    scopeName: isScope && !isGlobal ? textProblem(formLimits.objectName, scopeName) : undefined,
    secret: isScope ? undefined : secretProblem(form),
    entries: isScope ? scopeProblem(entries) : undefined,
  };
  return {
    fields: Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined)),
    entries: isScope ? entryProblems(entries) : [],
  };
}

function secretProblem({ use, isStandardWebhooks, secret }: SecretForm): string | undefined {
  // Headers carry nothing else, and who has the hash of a short token finds the token.
  return signingSecretProblem(secret, { hasEncodedSecret: use === "SigningSecret" && isStandardWebhooks });
}

function scopeProblem(entries: readonly SecretEntry[]): string | undefined {
  const { keysPerScope, scopeBytes } = secretLimits;
  if (entries.length > keysPerScope) {
    return `the scope would have ${entries.length} keys and may have at most ${keysPerScope}`;
  }
  const bytes = entries.reduce((sum, { value }) => sum + bytesOf(value), 0);
  if (bytes <= scopeBytes) return undefined;
  return `the values would have ${bytes} bytes together and may have at most ${scopeBytes}`;
}

function entryProblems(entries: readonly SecretEntry[]): SecretProblems["entries"] {
  const byName = Map.groupBy(entries, ({ key }) => key.toLowerCase());
  return entries.map(({ key, value }) => {
    const hasTwin = (byName.get(key.toLowerCase())?.length ?? 0) > 1;
    return { key: keyProblem(key) ?? (hasTwin ? secretRefusals.twin : undefined), value: valueProblem(value) };
  });
}

function keyProblem(key: string): string | undefined {
  const malformed = textProblem(formLimits.secretKey, key);
  if (malformed !== undefined) return malformed;
  if (!secretKeyPattern.test(key)) return secretRefusals.malformed;
  return isReservedSecretKey(key) ? secretRefusals.reserved : undefined;
}

function valueProblem(value: string): string | undefined {
  const bytes = bytesOf(value);
  const { valueBytes } = secretLimits;
  if (bytes > valueBytes) return `the value has ${bytes} bytes and may have at most ${valueBytes}`;
  if (value.includes("\0")) return secretRefusals.withNul;
  return value.isWellFormed() ? undefined : "the value holds half of a surrogate pair, which UTF-8 cannot hold";
}

function bytesOf(value: string): number {
  return new TextEncoder().encode(value).length;
}

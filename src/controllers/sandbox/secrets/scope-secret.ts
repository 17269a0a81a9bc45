import { Buffer } from "node:buffer";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { globalSecretName, scopeLabels } from "../../../api/v1alpha1/secret-scopes.ts";
import { type ScopeSource, scopeLabel, type SecretEntry, type SecretScope } from "./scope.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { keyText } from "../../../lib/resource.ts";
import { type Checked, checked, refused } from "../refusal.ts";

/** One secret as it goes to the sandbox. */
export interface SecretValue extends SecretEntry {
  value: string;
}

/** What a target's objects say of their secrets. */
interface Named {
  name: string;
  secretRef?: { name: string } | undefined;
}

/** Whose secrets a session on this target gets, weakest first. An Environment's stand in for its Repositories'. */
export function scopeSources(target: { repositories?: readonly Named[]; environment?: Named }): ScopeSource[] {
  const { repositories = [], environment } = target;
  // The first Repository is the primary one and wins over the others.
  const own = environment
    ? sourceOf("environment", environment)
    : [...repositories].reverse().flatMap((one) => sourceOf("repository", one));
  return [{ kind: "global", name: "", secretName: globalSecretName }, ...own];
}

export function sourceOf(kind: "repository" | "environment", { name, secretRef }: Named): ScopeSource[] {
  return secretRef ? [{ kind, name, secretName: secretRef.name }] : [];
}

/** The secrets in the Secret of a scope, or why they cannot be used. The global one need not be there; all others must. */
export function readScope(
  source: ScopeSource,
  secret: Secret | undefined,
  namespace: string,
): Checked<SecretScope<SecretValue>> {
  const label = scopeLabel(source);
  const where = `Secret ${keyText({ namespace, name: source.secretName })}, the secrets of ${label === "global" ? "the namespace" : label},`;
  if (!secret) {
    return source.kind === "global"
      ? checked({ label, entries: [] })
      : refused(reasons.secretNotFound, `${where} does not exist`);
  }
  const lacking = Object.entries(scopeLabels(source.kind, source.name)).find(
    ([key, value]) => secret.metadata.labels?.[key] !== value,
  );
  // By the label its writer agrees that sessions get the values; a name alone says nothing of that.
  if (lacking) return refused(reasons.invalidSecret, `${where} has no label ${lacking.join(": ")}`);
  const entries: SecretValue[] = [];
  for (const [key, encoded] of Object.entries(secret.data ?? {})) {
    const bytes = Buffer.from(encoded, "base64");
    const value = textOf(bytes);
    if (value === undefined)
      return refused(reasons.invalidSecret, `${where} holds under ${key} what is no UTF-8 text or has U+0000`);
    entries.push({ key, bytes: bytes.length, value });
  }
  return checked({ label, entries });
}

/** An environment variable can hold every text without U+0000. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

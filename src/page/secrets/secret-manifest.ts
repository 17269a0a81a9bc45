import { keyHashDataKey, signingSecretDataKeys } from "../../api/v1alpha1/names.ts";
import { globalSecretName, scopeLabels, type SecretScopeKind } from "../../api/v1alpha1/secret-scopes.ts";
import { manifestText } from "../parts/manifest-text.ts";

/** What a Secret is for: variables of hooks and agents, the secret with which a sender signs, or the token that it sends. */
export type SecretUse = "Variables" | "SigningSecret" | "Token";

/** A key of a Secret with its value, as a person typed them. */
export interface SecretEntry {
  key: string;
  value: string;
}

/** A new Secret in a form. */
export interface SecretForm {
  use: SecretUse;
  name: string;
  namespace: string;
  /** Of variables: who gets them. */
  scope: SecretScopeKind;
  /** The Repository or Environment of the scope. */
  scopeName: string;
  entries: readonly SecretEntry[];
  /** Whether the sender signs as Standard Webhooks has it. */
  isStandardWebhooks: boolean;
  /** The signing secret or the token. */
  secret: string;
}

/** What stands for values wherever they would be seen. */
const hidden = "***";

/** The manifest without its values, to be looked at. */
export function shownSecretManifest(form: SecretForm): string {
  return manifest(
    form,
    keysOf(form).map((key) => [key, hidden]),
  );
}

/** The manifest for kubectl; of a token it has the hash alone. */
export async function secretManifest(form: SecretForm): Promise<string> {
  const { use, entries, secret } = form;
  if (use === "Variables") {
    return manifest(
      form,
      entries.map(({ key, value }) => [key, value]),
    );
  }
  return manifest(
    form,
    await Promise.all(keysOf(form).map(async (key) => [key, use === "Token" ? await hashOf(secret) : secret] as const)),
  );
}

/** The form without anything that is secret. */
export function withoutSecrets(form: SecretForm): SecretForm {
  return { ...form, secret: "", entries: form.entries.map(({ key }) => ({ key, value: "" })) };
}

function keysOf({ use, entries }: SecretForm): string[] {
  if (use === "Variables") return entries.map(({ key }) => key);
  return [use === "Token" ? keyHashDataKey : signingSecretDataKeys.current];
}

function manifest(form: SecretForm, data: readonly (readonly [string, string])[]): string {
  const { use, name, namespace, scope, scopeName } = form;
  const isScope = use === "Variables";
  return manifestText({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: isScope && scope === "global" ? globalSecretName : name,
      ...(namespace !== "" && { namespace }),
      ...(isScope && { labels: scopeLabels(scope, scopeName) }),
    },
    stringData: Object.fromEntries(data),
  });
}

/** Lower-case hexadecimal SHA-256, as the ingress compares it. */
async function hashOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

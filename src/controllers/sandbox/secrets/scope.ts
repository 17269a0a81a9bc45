import type { SecretScopeKind } from "../../../api/v1alpha1/secret-scopes.ts";

/** One secret of a scope; its value is beside it only where it is needed. */
export interface SecretEntry {
  key: string;
  /** UTF-8 bytes of the value. */
  bytes: number;
}

/** The secrets of one scope. */
export interface SecretScope<Entry extends SecretEntry = SecretEntry> {
  /** For people, such as `repository shop`. */
  label: string;
  entries: readonly Entry[];
}

/** A scope, and the Secret that holds its secrets. */
export interface ScopeSource {
  kind: SecretScopeKind;
  /** Of the Repository or Environment; empty for the global scope. */
  name: string;
  secretName: string;
}

export function bytesOf(entries: readonly SecretEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Names that differ only in case are one key. */
export function foldedKey(key: string): string {
  return key.toLowerCase();
}

export function scopeLabel({ kind, name }: Pick<ScopeSource, "kind" | "name">): string {
  return kind === "global" ? kind : `${kind} ${name}`;
}

import type { ConnectorInformers } from "./informers.ts";

/** What keeps something of Integrations in memory, such as a token. */
export interface Keeper {
  /** Drops what is kept of an Integration, by its UID. */
  forget(uid: string): void;
}

/** Has nothing kept of Integrations that are deleted. */
export function forgetDeleted(
  { integrations }: Pick<ConnectorInformers, "integrations">,
  keepers: readonly Keeper[],
): void {
  integrations.onChange(({ type, object: { metadata } }) => {
    if (type === "deleted") for (const keeper of keepers) keeper.forget(metadata.uid ?? "");
  });
}

import type { Narrator } from "./narrator.ts";
import { kubectl, type Workbench } from "./workbench.ts";

interface Found {
  kind: string;
  metadata: { name: string; deletionTimestamp?: string };
}

const limit = "--timeout=240s";

/**
 * Waits until those namespaces and our kinds are gone where an interrupted try is still taking them away, at most two minutes: nothing
 * can be created in a namespace that is being deleted.
 */
export async function waitForLeaving(
  bench: Workbench,
  namespaces: readonly string[],
  narrator: Narrator,
): Promise<void> {
  const printed = await kubectl(bench, ["get", "namespaces,customresourcedefinitions", "-o", "json"]);
  const { items } = JSON.parse(printed) as { items: Found[] };
  const isOurs = ({ kind, metadata: { name } }: Found): boolean =>
    kind === "Namespace" ? namespaces.includes(name) : name.endsWith(".runwright.dev");
  const leaving = items.filter((found) => isOurs(found) && found.metadata.deletionTimestamp !== undefined);
  if (leaving.length === 0) return;
  const names = leaving.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
  await narrator.during(`waiting until ${names.join(", ")} of an earlier try are gone`, () =>
    kubectl(bench, ["wait", "--for=delete", limit, ...names]),
  );
}

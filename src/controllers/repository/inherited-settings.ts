import type { Repository, RepositoryStatus, SandboxClass, Settings } from "../../api/v1alpha1/index.ts";
import { effectiveSettings } from "../../domain/settings/index.ts";
import { defaultClassOf } from "../../sandbox/default-class.ts";

/** What a session of the default class on a Repository would get. */
export function inheritedSettings(
  operator: Settings,
  classes: readonly SandboxClass[],
  { metadata, spec }: Repository,
): Pick<RepositoryStatus, "settings" | "settingOrigins"> {
  const own = { origin: `Repository/${metadata.name ?? ""}`, settings: spec.settings };
  const { settings, origins } = effectiveSettings(operator, defaultClassOf(classes), [own]);
  return { settings, settingOrigins: origins };
}

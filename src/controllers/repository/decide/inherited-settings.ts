import type { Repository, RepositoryStatus, SandboxClass, Settings } from "../../../api/v1alpha1/index.ts";
import { effectiveSettings } from "../../../domain/settings/effective.ts";
import { defaultClassOf } from "../../sandbox/default-class.ts";

export interface InheritedSettings {
  shown: Pick<RepositoryStatus, "settings" | "settingOrigins">;
  /** Settings that were above what bounds them, a sentence each. */
  bounded: readonly string[];
}

/** The settings that a session of the default class on a Repository would have. */
export function inheritedSettings(
  operator: Settings,
  classes: readonly SandboxClass[],
  { metadata, spec }: Repository,
): InheritedSettings {
  const own = { origin: `Repository/${metadata.name ?? ""}`, settings: spec.settings };
  const { settings, origins, bounded } = effectiveSettings(operator, defaultClassOf(classes), [own]);
  return { shown: { settings, settingOrigins: origins }, bounded };
}

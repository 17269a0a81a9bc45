import {
  conditionTypes,
  type Integration,
  reasonMeanings,
  reasons,
  type Repository,
} from "../../api/v1alpha1/index.ts";
import type { Mark } from "../../domain/conditions.ts";
import { servesRepository } from "../../domain/integrations/serves-repository.ts";

/** Warns where a Repository has autofix on, and no Integration brings feedback on its pull requests. */
export function autofixMarks({ metadata, spec }: Repository, integrations: readonly Integration[]): Mark[] {
  const isServed = integrations.some((one) => servesRepository(one, metadata.name));
  if (spec.autofix?.mode !== "Enabled" || isServed) return [];
  const { remedy } = reasonMeanings.RepositoryNotServed;
  const message = `autofix.mode is Enabled, and no Integration of the namespace has the Repository in github.repositories, so no feedback comes. ${remedy}`;
  return [{ type: conditionTypes.autofixSilent, status: "True", reason: reasons.repositoryNotServed, message }];
}

import type { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import { effectiveSettings, type SettingsLayer } from "../../../domain/settings/effective.ts";
import type { OperatorSettings } from "../../../domain/settings/execution-timeout.ts";
import { keyText } from "../../../lib/resource.ts";
import type { KindInformers } from "../../kind-informers.ts";
import { imageFingerprint } from "../../sandbox/images/fingerprint.ts";
import { scopeOf } from "../../sandbox/images/scope.ts";
import { type Checked, checked, refused } from "../../sandbox/refusal.ts";
import { boundedBuildTime } from "../decide/clocks.ts";
import type { ImageFacts, ObservedScope } from "../facts.ts";

interface Deps {
  informers: Pick<KindInformers, "repositories" | "environments" | "sandboxClasses">;
  operator: Pick<OperatorSettings, "settings">;
  /** Of classes that name none. */
  defaultImage: string;
}

/** What a build would be made from now, as the caches show it, or what of that is missing. */
export function observeScope(deps: Deps, image: PrebuiltImage): ImageFacts["scope"] {
  const { informers, operator, defaultImage } = deps;
  const { sandboxClassName } = image.spec;
  const sandboxClass = informers.sandboxClasses.get({ name: sandboxClassName });
  if (!sandboxClass) {
    const message = `SandboxClass ${sandboxClassName} does not exist`;
    return { missing: refused(reasons.sandboxClassNotFound, message).refusal };
  }
  const target = findTarget(deps, image);
  if (!target.ok) return { missing: target.refusal };
  const { uid, repositories, layers } = target.value;
  const found: ObservedScope = {
    ...imageFingerprint(uid, repositories),
    classImage: sandboxClass.spec.image ?? defaultImage,
    repositories: repositories.map(({ name }) => name),
    bounded: boundedBuildTime(effectiveSettings(operator.settings, sandboxClass, layers), sandboxClass),
  };
  return { found };
}

type NamedRepository = { name: string } & Repository["spec"];

interface Target {
  /** Of the Repository or Environment. */
  uid: string;
  repositories: NamedRepository[];
  /** Settings of the primary Repository, and over it of the Environment. */
  layers: SettingsLayer[];
}

function findTarget(deps: Deps, image: PrebuiltImage): Checked<Target> {
  const { namespace } = image.metadata;
  const { kind, name } = scopeOf(image);
  if (kind === "Repository") return findRepositories(deps, namespace, [{ name }]);
  const environment = deps.informers.environments.get({ namespace, name });
  if (!environment) {
    return refused(reasons.environmentNotFound, `Environment ${keyText({ namespace, name })} does not exist`);
  }
  const found = findRepositories(deps, namespace, environment.spec.repositoryRefs);
  if (!found.ok) return found;
  const own = { origin: `Environment/${name}`, settings: environment.spec.settings };
  const { repositories, layers } = found.value;
  return checked({ uid: environment.metadata.uid ?? "", repositories, layers: [...layers, own] });
}

/** As if the first one were the target. */
function findRepositories(
  { informers }: Deps,
  namespace: string | undefined,
  refs: readonly { name: string }[],
): Checked<Target> {
  const found: Repository[] = [];
  for (const { name } of refs) {
    const repository = informers.repositories.get({ namespace, name });
    if (!repository) {
      return refused(reasons.repositoryNotFound, `Repository ${keyText({ namespace, name })} does not exist`);
    }
    found.push(repository);
  }
  const repositories = found.map(({ metadata, spec }) => ({ name: metadata.name ?? "", ...spec }));
  const layers = repositories.slice(0, 1).map(({ name, settings }) => ({ origin: `Repository/${name}`, settings }));
  return checked({ uid: found[0]?.metadata.uid ?? "", repositories, layers });
}

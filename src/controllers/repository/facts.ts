import type { Condition, Environment, Integration, Repository, SandboxClass, Skill } from "../../api/v1alpha1/index.ts";
import type { ConfigMapTexts } from "../../domain/skills/judge-skill.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { RepositorySecrets } from "../sandbox/bundle/bundle-repository.ts";

/** An object that other objects refer to, with a status that says whether it can be used. */
export type Referable = KubeObject & {
  status?: { conditions?: Condition[] | undefined; observedGeneration?: number | undefined } | undefined;
};

/** The Secret of `secretRef`. */
export interface ScopeSecret {
  scope: Secret | undefined;
}

/** Everything that was observed for one Repository. */
export interface RepositoryFacts {
  object: Repository;
  secrets: RepositorySecrets & ScopeSecret;
  classes: readonly SandboxClass[];
  /** All of the namespace, without their content. */
  skills: readonly Skill[];
  /** Those of the namespace. */
  integrations: readonly Integration[];
}

/** Everything that was observed for one SandboxClass. */
export interface SandboxClassFacts {
  object: SandboxClass;
  /** Why the cluster's own addresses may not all be known. */
  networkProblem?: string | undefined;
}

/** Everything that was observed for one Environment. */
export interface EnvironmentFacts {
  object: Environment;
  /** Names that the Environment refers to and that no Repository has. */
  missingRepositories: readonly string[];
  secrets: ScopeSecret;
  /** All of the namespace, without their content. */
  skills: readonly Skill[];
}

/** Everything that was observed for one Skill. */
export interface SkillFacts {
  object: Skill;
  /** The ConfigMaps that its files come from, as far as there are any. */
  configMaps: ReadonlyMap<string, ConfigMapTexts>;
}

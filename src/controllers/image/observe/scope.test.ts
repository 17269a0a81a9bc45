import { expect, it } from "vitest";
import { aPrebuiltImage, aRepository, aSandboxClass } from "../../../../test/support/builders.ts";
import type { Environment } from "../../../api/v1alpha1/environment.ts";
import type { Settings } from "../../../api/v1alpha1/settings.ts";
import type { KubeObject, ObjectKey } from "../../../lib/resource.ts";
import { observeScope } from "./scope.ts";

const holding = (...objects: KubeObject[]) => ({
  get: ({ name }: ObjectKey) => objects.find(({ metadata }) => metadata.name === name),
});

const seconds = (buildTimeoutSeconds: number): Settings => ({ buildTimeoutSeconds });

/** What is said of the settings of an image of Environment `shop`, whose Repositories are `web` and `api`. */
function boundedOf(web: Settings | undefined, shop: Settings | undefined): unknown {
  const repositoryRefs = [{ name: "web" }, { name: "api" }];
  const environment: Environment = { metadata: { name: "shop", uid: "e" }, spec: { repositoryRefs, settings: shop } };
  const informers = {
    sandboxClasses: holding(aSandboxClass("standard", { maxSandboxTimeoutMs: 660_000 })),
    environments: holding(environment),
    repositories: holding(
      aRepository("web", { spec: { settings: web } }),
      aRepository("api", { spec: { settings: seconds(99) } }),
    ),
  };
  const deps = { informers: informers as never, operator: { settings: {} }, defaultImage: "sandbox:1" };
  const image = aPrebuiltImage("shop", { spec: { environmentRef: { name: "shop" } } });
  const scope = observeScope(deps, image);
  return "found" in scope ? scope.found.bounded.map((one) => one.split(" is above")[0]) : scope.missing;
}

it.each([
  {
    name: "of the primary Repository",
    web: seconds(61),
    shop: undefined,
    want: ["buildTimeoutSeconds 61 (Repository/web)"],
  },
  {
    name: "of the Environment over it",
    web: seconds(61),
    shop: seconds(62),
    want: ["buildTimeoutSeconds 62 (Environment/shop)"],
  },
  { name: "of the Environment, which fits", web: seconds(61), shop: seconds(60), want: [] },
  { name: "of another Repository, which does not count", web: undefined, shop: undefined, want: [] },
])("the class bounds the time for a build $name", ({ web, shop, want }) => {
  expect(boundedOf(web, shop)).toEqual(want);
});

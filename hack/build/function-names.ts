const helper = /(var __name = \(target, (\w+)\) => )(__defProp\(target, "name", )/;

/**
 * Changes a bundle whose names esbuild keeps, so that a function is given its name only where it has another, as esbuild renamed it.
 * Its own helper gives each function that is made, closures included, the name that nearly all have already; that takes 5 % of the
 * ingress's CPU time. Throws where the bundle has no such helper.
 */
export function nameWhatWasRenamed(bundle: string): string {
  if (!helper.test(bundle)) {
    throw new Error(
      "The bundle has no helper __name of esbuild's; change hack/build/function-names.ts to the one it has now",
    );
  }
  return bundle.replace(helper, "$1target.name === $2 ? target : $3");
}

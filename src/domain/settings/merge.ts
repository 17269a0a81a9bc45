type Set<Settings> = { [Name in keyof Settings]?: Exclude<Settings[Name], undefined> };

/** Merges settings of several scopes, weakest first: per key the last value wins. Lists are not merged. */
export function mergeSettings<Settings extends object>(layers: readonly (Settings | undefined)[]): Set<Settings> {
  const merged: Set<Settings> = {};
  for (const layer of layers) {
    const set = Object.entries(layer ?? {}).filter(([, value]) => value !== undefined);
    Object.assign(merged, Object.fromEntries(set));
  }
  return merged;
}

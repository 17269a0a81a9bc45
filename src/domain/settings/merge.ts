type Set<Settings> = { [Name in keyof Settings]?: Exclude<Settings[Name], undefined> };

/** Settings of several scopes, weakest first: key by key the last that sets one wins. Lists are taken whole. */
export function mergeSettings<Settings extends object>(layers: readonly (Settings | undefined)[]): Set<Settings> {
  const merged: Set<Settings> = {};
  for (const layer of layers) {
    const set = Object.entries(layer ?? {}).filter(([, value]) => value !== undefined);
    Object.assign(merged, Object.fromEntries(set));
  }
  return merged;
}

type Merged<Settings> = { [Name in keyof Settings]?: Exclude<Settings[Name], undefined> };

/** Merges settings of several scopes, weakest first: per key the last value wins. Lists are not merged. */
export function mergeSettings<Settings extends object>(layers: readonly (Settings | undefined)[]): Merged<Settings> {
  const entries = layers.flatMap((layer) => Object.entries(layer ?? {}));
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Merged<Settings>;
}

/** Words that say nothing of a field by themselves. */
const filler = new Set(
  "a an and are as at be by for from has have in is it its kind name names object of on or resource that the this to what where which with".split(
    " ",
  ),
);

/**
 * Whether a field's description has a word that its path does not have; `path` is from spec or status down to the field. Limits
 * and defaults, which the schema says, do not count.
 */
export function saysMoreThanItsName(path: string, description: string): boolean {
  const known = new Set(wordsOf(path));
  const told = description.replaceAll(/defaults to [^.]*\.|at most [\d,]+ \w+|[\d,]+ to [\d,]+/gi, "");
  return wordsOf(told).some((word) => !filler.has(word) && !known.has(word));
}

/** In lower case and singular, with a name such as podUID taken apart. */
function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return (apart.match(/[a-z]+/g) ?? [])
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))
    .filter((word) => word !== "s");
}

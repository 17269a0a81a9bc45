/** Characters as people and the API server count them: Unicode code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** The first `limit` characters; never half of one. */
export function firstCharacters(text: string, limit: number): string {
  return Array.from(text).slice(0, limit).join("");
}

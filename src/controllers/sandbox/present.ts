/** The members that have a value: an object for the API server must not hold undefined. */
export function present<T extends object>(members: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

/** Reads an argument; throws an error that names it and what it must be. */
export function wholeNumber(name: string, text: string, most: number): number {
  if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Error(`${name} is ${JSON.stringify(text)}, but it must be a whole number from 1 to ${most}`);
}

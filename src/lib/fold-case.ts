/**
 * A text in which upper and lower case are the same, for comparing. Each character is folded by itself, so what a text contains, its
 * folded one does too: toLowerCase() looks at neighbours of a sigma.
 */
export function foldCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase().toUpperCase()).join("");
}

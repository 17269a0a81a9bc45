/** Characters as people and the API server count them: Unicode code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** The first `count` code points; never half of one. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) end += isWideAt(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** At most so many code points, the mark of a cut included. */
export function cutCharacters(text: string, most: number): string {
  const mark = " […]";
  return countCharacters(text) <= most ? text : `${firstCharacters(text, most - countCharacters(mark))}${mark}`;
}

/** The last `count` code points; never half of one. */
export function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let start = text.length;
  for (let taken = 0; taken < count && start > 0; taken += 1) start -= isWideAt(text, start - 2) ? 2 : 1;
  return text.slice(start);
}

/** The text with its start cut off, at most `most` code points with the mark. */
export function cutStart(text: string, most: number): string {
  const mark = "[…] ";
  return countCharacters(text) <= most ? text : `${mark}${lastCharacters(text, most - countCharacters(mark))}`;
}

/** The text with its middle cut out, at most `most` code points with the mark. Two thirds of them are the end, which tells what went wrong. */
export function cutMiddle(text: string, most: number): string {
  const mark = " […] ";
  if (countCharacters(text) <= most) return text;
  const room = most - countCharacters(mark);
  const beginning = Math.floor(room / 3);
  return `${firstCharacters(text, beginning)}${mark}${lastCharacters(text, room - beginning)}`;
}

/** Whether a code point of two units begins at this unit. */
function isWideAt(text: string, index: number): boolean {
  return (text.codePointAt(index) ?? 0) > 0xffff;
}

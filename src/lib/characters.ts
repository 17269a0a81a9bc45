/** Characters as people and the API server count them: Unicode code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** The first `count` code points; never half of one. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) end += widthAt(text, end);
  return text.slice(0, end);
}

/** The last `count` code points; never half of one. */
export function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let start = text.length;
  for (let taken = 0; taken < count && start > 0; taken += 1) start -= isLowHalf(text, start - 1) ? 2 : 1;
  return text.slice(start);
}

function widthAt(text: string, index: number): number {
  return isLowHalf(text, index + 1) ? 2 : 1;
}

/** Whether the unit at `index` is the second half of a code point. */
function isLowHalf(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

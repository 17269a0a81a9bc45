/** The text in pieces of at most `maxUnits` UTF-16 units (2 or more); no piece splits a character. */
export function* pieces(text: string, maxUnits: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const full = Math.min(start + maxUnits, text.length);
    const end = full < text.length && isHighHalf(text, full - 1) ? full - 1 : full;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighHalf(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

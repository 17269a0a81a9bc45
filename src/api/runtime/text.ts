/** Control, reordering and other invisible characters that could forge lines or mislead who reads; not tab and line feed. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;
/** What a terminal takes as a command: CSI and OSC sequences and two-character escapes. */
// eslint-disable-next-line no-control-regex -- the escape character is what this is about
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;

/**
 * Text from a sandbox as it may be stored and shown: without terminal escapes and control characters but line feed and
 * tab, well-formed, and at most `maxCharacters` code points (the beginning is kept).
 */
export function plainText(text: string, maxCharacters: number): string {
  const plain = text.replace(/\r\n?/g, "\n").replace(escapeSequence, "").replace(unprintable, "");
  return firstCharacters(plain.toWellFormed(), maxCharacters);
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

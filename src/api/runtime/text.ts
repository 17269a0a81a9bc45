import { firstCharacters } from "../../lib/characters.ts";

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

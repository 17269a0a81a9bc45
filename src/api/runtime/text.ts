import { firstCharacters } from "../../lib/characters.ts";

/** Control, bidirectional and other invisible characters that could mislead readers, except tab and line feed. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;
/** Terminal commands: CSI sequences, texts to the terminal such as titles, and short escapes such as `ESC ( B` of `tput sgr0`. */
// oxlint-disable-next-line no-control-regex -- the escape character is what this is about
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/**
 * Untrusted text made safe to store and show: well-formed, without terminal escapes and control characters other than line
 * feed and tab, and cut after `maxCharacters` code points.
 */
export function plainText(text: string, maxCharacters: number): string {
  const plain = text.replace(/\r\n?/g, "\n").replace(escapeSequence, "").replace(unprintable, "");
  return firstCharacters(plain.toWellFormed(), maxCharacters);
}

/** Text with characters that could mislead readers as escapes of JSON, such as `\u202e`; valid where it was JSON. */
export function visibleText(text: string): string {
  return text.replace(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

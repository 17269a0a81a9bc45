import type { JSX } from "preact";
import { plainText } from "../../api/runtime/text.ts";

/**
 * Text that an agent, a sender or a repository wrote: shown as text, without characters that mislead readers, and without
 * influence on the direction of the text around it.
 */
export function Untrusted({ text }: { text: string }): JSX.Element {
  return <bdi>{plainText(text, text.length)}</bdi>;
}

/** Characters outside of texts that a message has as one frame: more than any of ours has, but for a hello with many open prompts. */
export const structurePerFrame = 1_024;

const [quote, backslash] = ['"', "\\"].map((mark) => mark.charCodeAt(0));

/**
 * How many frames a message counts as. Texts cost little however long they are; each field or element costs some tenths of a microsecond,
 * also where nobody knows it: 64 KiB of them as much as 300 messages of ours. So what is no text is counted, before it is parsed.
 */
export function priceOf(message: string): number {
  if (message.length <= structurePerFrame) return 1;
  return Math.max(1, structureOf(message) / structurePerFrame);
}

/** Characters outside of texts, and their quotes. What comes behind a mistake in the JSON is not read anyway. */
function structureOf(message: string): number {
  let structure = 0;
  for (let from = 0; from < message.length;) {
    const begin = message.indexOf('"', from);
    if (begin === -1) return structure + message.length - from;
    structure += begin - from + 2;
    from = endOfText(message, begin) + 1;
  }
  return structure;
}

function endOfText(message: string, begin: number): number {
  const end = message.indexOf('"', begin + 1);
  if (end === -1) return message.length;
  return message.charCodeAt(end - 1) === backslash ? endOfEscaped(message, begin) : end;
}

/** The end of a text with escaped characters; a search for each quote would cost ten times as much. */
function endOfEscaped(message: string, begin: number): number {
  let at = begin + 1;
  for (; at < message.length && message.charCodeAt(at) !== quote; at += 1) {
    if (message.charCodeAt(at) === backslash) at += 1;
  }
  return at;
}

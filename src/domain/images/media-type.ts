import type { ImageMediaType } from "../../api/v1alpha1/prompt-image.ts";

/** First bytes of each media type, one character per byte; a question mark is any byte. */
const beginnings: readonly { mediaType: ImageMediaType; beginning: string }[] = [
  { mediaType: "image/png", beginning: "\x89PNG\r\n\x1a\n" },
  { mediaType: "image/jpeg", beginning: "\xff\xd8\xff" },
  { mediaType: "image/gif", beginning: "GIF87a" },
  { mediaType: "image/gif", beginning: "GIF89a" },
  { mediaType: "image/webp", beginning: "RIFF????WEBP" },
];

/** Media type by the content, whatever the file name; undefined for types that prompts do not accept. */
export function mediaTypeOf(content: Uint8Array): ImageMediaType | undefined {
  return beginnings.find(({ beginning }) => beginsWith(content, beginning))?.mediaType;
}

function beginsWith(content: Uint8Array, beginning: string): boolean {
  return Array.from(beginning).every((byte, index) =>
    byte === "?" ? index < content.length : content[index] === byte.charCodeAt(0),
  );
}

import type { MediaType } from "../../api/v1alpha1/prompt-media.ts";
import { mediaTypeOf } from "../images/media-type.ts";

/** Brands of MP4 files (ISO 14496-12 and -14); QuickTime, HEIC, AVIF and audio alone have others. */
const mp4Brand = /^(?:isom|iso[2-9a-c]|mp4[12]|avc1|M4V |dash)$/;
/** Bytes of the box `ftyp` with one brand. */
const smallestBox = 16;

/** Media type by the content, whatever the file name; undefined for what answers do not take. */
export function attachedTypeOf(content: Uint8Array): MediaType | undefined {
  return mediaTypeOf(content) ?? (isMp4(content) ? "video/mp4" : undefined);
}

function isMp4(content: Uint8Array): boolean {
  if (content.length < smallestBox) return false;
  const box = new DataView(content.buffer, content.byteOffset, smallestBox);
  const size = box.getUint32(0);
  return (
    size >= smallestBox && size <= content.length && latin1(content, 4) === "ftyp" && mp4Brand.test(latin1(content, 8))
  );
}

/** Four bytes as text. */
function latin1(content: Uint8Array, at: number): string {
  return String.fromCharCode(...content.subarray(at, at + 4));
}

import { plainText } from "../../api/runtime/text.ts";
import { type AttachedFile, mediaLimits } from "../../api/v1alpha1/prompt-media.ts";
import { countCharacters, firstCharacters } from "../../lib/characters.ts";
import { endingOf } from "./media-name.ts";

/** A file's name in one line, without folders and characters that mislead readers. Nothing is cut, so that secrets are found in it. */
export function plainFileName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  return plainText(last, last.length).replace(/\s+/g, " ").trim();
}

/** A name for people of at most 100 characters that ends as files of the type do. */
export function shownFileName(name: string, mediaType: AttachedFile["mediaType"]): string {
  const plain = plainFileName(name);
  const ending = `.${endingOf(mediaType)}`;
  const isRight = plain.toLowerCase().endsWith(ending) || (ending === ".jpeg" && plain.toLowerCase().endsWith(".jpg"));
  const end = isRight ? plain.slice(plain.lastIndexOf(".")) : ending;
  const start = isRight ? plain.slice(0, -end.length) : plain;
  const cut = firstCharacters(start, mediaLimits.fileNameCharacters - countCharacters(end)).trim();
  return `${cut === "" ? "file" : cut}${end}`;
}

import type { Prompt } from "../../api/v1alpha1/index.ts";
import { shownFileName } from "../../domain/media/file-name.ts";
import { leftOutWords } from "../../domain/media/left-out-words.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { textTable } from "./table.ts";

/** The files that the agent attached to its answer, each with its number, and how one is downloaded; empty without any. */
export function mediaText(prompt: Prompt): string {
  const { files = [], leftOut = 0 } = prompt.status?.media ?? {};
  const rows = files.map(({ fileName, mediaType, bytes }, at) => [
    String(at + 1),
    shownFileName(fileName, mediaType),
    mediaType,
    String(bytes),
  ]);
  const list = [
    textTable(["#", "FILE", "TYPE", "BYTES"], rows),
    `To download one: kubectl runwright media ${keyText(keyOf(prompt))} NUMBER --to FILE`,
  ];
  const kept = files.length;
  return [...(kept > 0 ? list : []), ...(leftOut > 0 ? [leftOutWords({ leftOut, kept })] : [])].join("\n");
}

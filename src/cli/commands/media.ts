import type { AttachedFile, Prompt } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { CliError, misuse } from "../cli-error.ts";
import { existingPrompt } from "../cluster/existing-objects.ts";
import { defineCommand } from "../command.ts";
import { downloadMedia } from "../gateway/download-media.ts";
import { writeNewFile } from "../output/new-file.ts";
import { mediaText } from "../output/shown-media.ts";
import { nameOf } from "../output/shown-prompt.ts";

const flags = {
  to: { value: "FILE", about: "download the file with this NUMBER to FILE, which must not exist" },
} as const;

export const media = defineCommand({
  name: "media",
  summary: "list the files that an agent attached to its answer to a Prompt, or download one",
  details:
    "Lists number, name, media type and size in bytes with your own permissions. --to downloads one through the gateway, which needs permission to get prompts; NUMBER may be left out where there is one file. Files are kept for a week at least. Nobody has checked them but for their format.",
  parameters: ["PROMPT", "[NUMBER]"],
  flags,
  formats: ["json", "yaml"],
  examples: ["media demo/upgrade-x7k2pq3a5b", "media demo/upgrade-x7k2pq3a5b 2 --to chart.png"],
  async run(invocation) {
    const [, number] = invocation.args;
    const { to } = invocation.flags;
    if (number !== undefined && to === undefined) throw misuse("NUMBER needs --to FILE", media.name);
    const prompt = await existingPrompt(invocation.cluster(), nameArgument("Prompt", invocation));
    const { files = [], leftOut = 0 } = prompt.status?.media ?? {};
    if (to === undefined) return { text: listed(prompt), json: { prompt: keyText(keyOf(prompt)), files, leftOut } };
    const file = chosen(prompt, files, number);
    const content = await downloadMedia(invocation, prompt, { file, what: `${media.name} ${keyText(keyOf(prompt))}` });
    await writeNewFile(to, { what: `--to ${to}`, content });
    return { text: `${to} was written: ${file.mediaType}, ${content.length} bytes`, json: file };
  },
});

function listed(prompt: Prompt): string {
  const text = mediaText(prompt);
  if (text !== "") return text;
  const end = isSettled(prompt) ? "" : "; files are known once it has ended";
  return `${nameOf(prompt)} has no files of its agent${end}`;
}

/** @throws CliError that says which numbers there are */
function chosen(prompt: Prompt, files: readonly AttachedFile[], number = files.length > 1 ? "" : "1"): AttachedFile {
  const file = /^[1-9]$/.test(number) ? files[Number(number) - 1] : undefined;
  if (file) return file;
  if (files.length === 0) throw new CliError(listed(prompt));
  const [numbers, count] = files.length === 1 ? ["1", "1 file"] : [`1 to ${files.length}`, `${files.length} files`];
  const problem = number === "" ? "is missing" : `is "${number}"`;
  throw misuse(`NUMBER ${problem}, but it must be ${numbers}: ${nameOf(prompt)} has ${count}`, media.name);
}

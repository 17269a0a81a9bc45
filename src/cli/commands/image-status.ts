import { plainText } from "../../api/runtime/text.ts";
import { PrebuiltImage } from "../../api/v1alpha1/index.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingImage } from "../cluster/existing-objects.ts";
import { defineCommand } from "../command.ts";
import { shownAs } from "../output/listed.ts";
import { textTable } from "../output/table.ts";

export const imageStatus = defineCommand({
  name: "image status",
  summary: "show what a PrebuiltImage holds, what goes on, and its last builds",
  parameters: ["IMAGE"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["image status demo/checkout"],
  async run(invocation) {
    const image = await existingImage(invocation.cluster(), nameArgument("PrebuiltImage", invocation));
    return { text: textOf(image), ...shownAs(PrebuiltImage, image) };
  },
});

function textOf(image: PrebuiltImage): string {
  const { status = {}, spec } = image;
  const { image: built, build, nextCheckTime, conditions = [], builds = [] } = status;
  const facts: [string, string | undefined][] = [
    ["Scope", status.scope],
    ["Class", spec.sandboxClassName],
    ["Image", built && `build ${built.build}, ${built.bytes} bytes, stored ${built.time}`],
    ...(built?.commits ?? []).map(({ repository, commit }): [string, string] => [`Commit of ${repository}`, commit]),
    ["Now", build && `${build.step}, build ${build.number} (${build.reason})`],
    ["Fails at the latest", build?.deadline],
    ["Next check", nextCheckTime],
    ...conditions.map(({ type, status: is, reason, message }): [string, string] => [
      type,
      `${is} ${reason}: ${plainText(message, 1_024)}`,
    ]),
  ];
  const shown = facts.flatMap(([name, value]) => (value === undefined ? [] : [[`${name}:`, value]]));
  const width = Math.max(...shown.map(([name = ""]) => name.length));
  const lines = shown.map(([name = "", value = ""]) => `${name.padEnd(width)} ${value}`);
  if (builds.length === 0) return lines.join("\n");
  const rows = builds.map(({ number, result, reason, startTime, endTime }) => [
    String(number),
    result,
    reason,
    startTime,
    `${Math.round((Date.parse(endTime) - Date.parse(startTime)) / 1_000)}s`,
  ]);
  return [...lines, "", textTable(["BUILD", "RESULT", "REASON", "STARTED", "DURATION"], rows)].join("\n");
}

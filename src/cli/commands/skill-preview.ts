import { allFilesOf, bytesIn, type Revision } from "../../domain/skills/revision.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { textTable } from "../output/table.ts";
import { faultLines, findSkills } from "../skills/find-skills.ts";
import { judgeSource } from "../skills/judge-source.ts";

export const skillPreview = defineCommand({
  name: "skill preview",
  summary: "show what agents would see of a Skill: its files, and SKILL.md as it is made",
  details:
    "Needs no cluster. PATH is as in skill check. In a sandbox the files are in ~/.claude/skills/NAME and ~/.agents/skills/NAME, where the agent can read them and not write.",
  parameters: ["PATH"],
  flags: {},
  formats: ["json", "yaml"],
  examples: ["skill preview skills/release-notes", "skill preview - < skills.yaml"],
  async run({ args }) {
    const skills = (await findSkills(args[0] ?? "")).map(judgeSource);
    const faults = faultLines(skills);
    if (faults.length > 0) throw new CliError(faults.join("\n"));
    const revisions = skills.map(({ from, name = "", revision, unread }) => {
      if (revision) return revision;
      throw new CliError(`${from}: ${name} has a text from ConfigMap ${unread.join(", ")}, which is not in it`);
    });
    return {
      text: revisions.map(textOf).join("\n\n"),
      json: { skills: revisions.map(({ skill, bytes, digest }) => ({ ...skill, bytes, digest })) },
    };
  },
});

function textOf({ skill, bytes, digest }: Revision): string {
  const files = allFilesOf(skill);
  const rows = files.map((file) => [
    `${skill.name}/${file.path}`,
    String(bytesIn(file).length),
    file.executable ? "read, run" : "read",
  ]);
  const table = textTable(["FILE", "BYTES", "AGENTS MAY"], rows);
  return [table, "", `${bytes} bytes, ${digest}`, "", skill.skillFile].join("\n");
}

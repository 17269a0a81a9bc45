import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LinkedFrom, linkSkills } from "./link-skills.ts";

let root: string;
let from: LinkedFrom;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "runwright-skills-"));
  from = { skills: join(root, "skills/current"), workspace: join(root, "workspace"), home: join(root, "home") };
  for (const name of ["one", "two"]) await put(`skills/current/${name}/SKILL.md`, `managed ${name}`);
  await mkdir(from.workspace);
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const seen = (folder: string, name: string): Promise<string> =>
  readFile(join(from.home, folder, "skills", name, "SKILL.md"), "utf8");

it("has each skill where Claude Code and where Codex and Gemini CLI look, again and again", async () => {
  for (let time = 0; time < 2; time += 1) {
    expect(await linkSkills(from)).toEqual([]);
    for (const folder of [".claude", ".agents"]) expect(await seen(folder, "one")).toBe("managed one");
  }
});

it.each([
  ["a repository's folder", "workspace/web/.claude/skills/one/SKILL.md", "theirs"],
  ["a repository's folder for OpenCode", "workspace/web/.opencode/skills/one/SKILL.md", "theirs"],
  ["the head of a repository's skill", "workspace/web/.agents/skills/other/SKILL.md", "---\nname: one\n---\n"],
  ["a head with other line ends", "workspace/web/.agents/skills/other/SKILL.md", '---\r\nname: "one"\r\n---\r\n'],
  ["the agent's home", "home/.claude/skills/one/SKILL.md", "theirs"],
])("leaves out a skill that %s names, and no other", async (_, path, text) => {
  await put(path, text);
  expect(await linkSkills(from)).toEqual(["one"]);
  expect(await seen(".agents", "two")).toBe("managed two");
  expect(await readdir(join(from.home, ".agents/skills"))).toEqual(["two"]);
  expect(await readFile(join(root, path), "utf8")).toBe(text);
});

it.each([
  ["without a head", "name: one"],
  ["whose head does not end", "---\nname: one\n"],
  ["whose head is no YAML", "---\nname: [one\n---\n"],
  ["whose name is no text", "---\nname: [one]\n---\n"],
  ["whose name is an alias", "---\na: &a one\nname: *a\n---\n"],
  ["whose head is larger than is read", `---\n# ${"x".repeat(65_536)}\nname: one\n---\n`],
])("takes no name from a repository's skill %s", async (_, text) => {
  await put("workspace/web/.claude/skills/other/SKILL.md", text);
  expect(await linkSkills(from)).toEqual([]);
});

it("removes what it linked in the sandbox before, and nothing else", async () => {
  await linkSkills(from);
  await rm(join(from.skills, "two"), { recursive: true });
  await symlink("/elsewhere", join(from.home, ".claude/skills/own"));
  expect(await linkSkills(from)).toEqual([]);
  expect((await readdir(join(from.home, ".claude/skills"))).sort()).toEqual(["one", "own"]);
  expect(await readlink(join(from.home, ".claude/skills/own"))).toBe("/elsewhere");
});

it("fails where a file is in the way of the folder", async () => {
  await put("home/.claude", "a file");
  await expect(linkSkills(from)).rejects.toThrow();
});

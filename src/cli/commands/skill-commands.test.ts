import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type CliResult, runPlugin } from "../../../test/support/cli.ts";
import { revisionOf } from "../../domain/skills/revision.ts";
import { asYaml } from "../output/printable.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "runwright-skill-"));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  await chmod(join(root, path), mode);
}

const head = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`;
const skill = (...argv: string[]): Promise<CliResult> => runPlugin(["skill", ...argv]);
const x = (count: number): string => "x".repeat(count);

describe("skill render", () => {
  const render = async (...flags: string[]): Promise<{ metadata: object; spec: Record<string, unknown> }> => {
    const { status, out, err } = await skill("render", root, ...flags, "-o", "json");
    expect([status, err]).toEqual([0, expect.not.stringContaining("error") as string]);
    return JSON.parse(out) as { metadata: object; spec: Record<string, unknown> };
  };

  it("makes a Skill of a folder, byte for byte", async () => {
    const body = "\r\n# Steps\n---\n\ttab \u2028\u0085\ufeff end";
    await put(
      "SKILL.md",
      `---\nname: review\ndescription: "Review: all"\nlicense: MIT\nmetadata: {v: 1.0}\n---\n${body}`,
    );
    await put("references/a/b.md", "\ufeffé\r\n");
    await put("scripts/deep/run.sh", "#!/bin/sh\n", 0o755);
    await put("scripts/group.sh", "", 0o654);
    await put("scripts/read.txt", "no line end", 0o644);
    await put(".hidden", "");
    await put(".git/HEAD", "x");
    await put("references/.DS_Store", Uint8Array.of(0, 255));
    expect(
      await render("--all", "--repository", "web", "--repository", "api", "--environment", "shop", "-n", "demo"),
    ).toEqual({
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Skill",
      metadata: { name: "review", namespace: "demo" },
      spec: {
        description: "Review: all",
        license: "MIT",
        metadata: { v: "1.0" },
        body,
        files: [
          { path: ".hidden", content: "" },
          { path: "references/a/b.md", content: "\ufeffé\r\n" },
          { path: "scripts/deep/run.sh", content: "#!/bin/sh\n", executable: true },
          { path: "scripts/group.sh", content: "", executable: true },
          { path: "scripts/read.txt", content: "no line end" },
        ],
        appliesTo: { all: true, repositories: ["web", "api"], environments: ["shop"] },
      },
    });
  });

  it("makes Skills of the folders in a folder, which are documents of YAML", async () => {
    await put("one/SKILL.md", head("one"));
    await put("two/SKILL.md", head("two"));
    await put("none/README.md", "");
    await put("README.md", "");
    const { out, err, status } = await skill("render", root);
    expect(status).toBe(0);
    expect(out).toMatch(/^apiVersion: runwright.dev\/v1alpha1\nkind: Skill\nmetadata:\n {2}name: one\n/);
    expect(out.split("---\n").map((text) => (parse(text) as { metadata: object }).metadata)).toEqual([
      { name: "one" },
      { name: "two" },
    ]);
    expect(err).toBe("No session gets it yet: add --all, --repository NAME or --environment NAME");
    const { items } = (await render()) as unknown as { items: object[] };
    expect(items).toHaveLength(2);
  });

  it("says when kubectl apply alone cannot take it", async () => {
    await put("SKILL.md", head("a"));
    await put("a", x(262_144));
    const { err } = await skill("render", root, "--all");
    expect(err).toBe("Too large for kubectl apply alone: use kubectl apply --server-side");
  });

  it("prints nothing where something is wrong, also with a flag", async () => {
    await put("SKILL.md", head("a"));
    await put("logo.png", Uint8Array.of(0x89, 0x50, 0xff));
    const { status, out, err } = await skill("render", root, "--repository", "Web");
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain(
      "logo.png is not UTF-8; what stands in a Skill is text. Put it into a ConfigMap (kubectl create configmap --from-file) and name its key with configMapKeyRef.",
    );
    expect(err).toContain("appliesTo.repositories.0 must be a DNS label");
  });

  it("needs a folder with a SKILL.md", async () => {
    await put("skill.md", head("a"));
    expect((await skill("render", root)).err).toContain(`neither ${root} nor a folder in it has a SKILL.md`);
    expect((await skill("render", join(root, "none"))).err).toContain("none cannot be read: it does not exist");
    expect((await skill("render", join(root, "skill.md"))).err).toContain("skill.md cannot be read: it is no folder");
  });
});

it("YAML says the same to readers of YAML 1.2 and 1.1, whatever the text", () => {
  const words = fc.constantFrom(
    "yes",
    "no",
    "on",
    "0x1F",
    "012",
    "1_000",
    "12:30:45",
    "~",
    "1e3",
    "2026-05-04",
    "<<",
    "=",
  );
  const text = fc.oneof(
    words,
    fc.string({ unit: "grapheme" }),
    fc.string({
      unit: fc.constantFrom("\n", " ", "\t", "#", "-", "a", ":", "\r", "\u0085", "\u2028", "\ufeff", "'", '"', "\\"),
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(text, text), text, (metadata, body) => {
      const object = { spec: { ...(Object.keys(metadata).length > 0 && { metadata }), body: body.toWellFormed() } };
      const wanted = JSON.parse(JSON.stringify(object)) as unknown;
      for (const version of ["1.2", "1.1"] as const) {
        expect(parse(asYaml(object), { version, merge: false })).toEqual(wanted);
      }
    }),
  );
});

/** The faults of a folder with these files. */
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  for (const [path, content] of Object.entries(files)) await put(path, content);
  const { out } = await skill("check", root, "-o", "json");
  const { skills } = JSON.parse(out) as { skills: { faults?: { problem: string }[] }[] };
  return skills.flatMap(({ faults = [] }) => faults.map(({ problem }) => problem));
}

/** A SKILL.md with this many bytes, as it is made. */
const made = (bytes: number): string => {
  const least = '---\nname: "a"\ndescription: "d"\n---\n'.length;
  return `${head("a")}${x(bytes - least)}`;
};
const many = (count: number, content: (index: number) => string = () => ""): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`f${String(index).padStart(2, "0")}`, content(index)]),
  );
const named = (path: string): Record<string, string> => ({ "SKILL.md": head("a"), [path]: "" });
const headed = (fields: string): Record<string, string> => ({ "SKILL.md": `---\nname: a\n${fields}\n---\n` });

describe("skill check says of each limit", () => {
  it.each<[string, Record<string, string>, string[]]>([
    ["a name of 64 characters", { "SKILL.md": head(x(64)) }, []],
    ["a name of 65", { "SKILL.md": head(x(65)) }, ["name has 65 characters; at most 64"]],
    ["no name", { "SKILL.md": "---\ndescription: d\n---\n" }, ["name is missing"]],
    ["a reserved name", { "SKILL.md": head("record-video") }, ["name record-video is reserved"]],
    ["a name that begins with it", { "SKILL.md": head("record-videos") }, []],
    ["a name that is a number", { "SKILL.md": head("123") }, []],
    ["a description of 1,024 characters", headed(`description: ${x(1_024)}`), []],
    ["one of 1,024 emoji", headed(`description: ${"😀".repeat(1_024)}`), []],
    ["one of 1,025", headed(`description: ${x(1_025)}`), ["description has 1025 characters; at most 1024"]],
    ["none", headed("license: MIT"), ["description is missing"]],
    ["a blank one", headed('description: " "'), ["description must not be blank"]],
    ["a license of 200", headed(`description: d\nlicense: ${x(200)}`), []],
    ["a license of 201", headed(`description: d\nlicense: ${x(201)}`), ["license has 201 characters; at most 200"]],
    ["a blank license", headed("description: d\nlicense:"), ["license must not be blank"]],
    ["a compatibility of 500", headed(`description: d\ncompatibility: ${x(500)}`), []],
    [
      "a compatibility of 501",
      headed(`description: d\ncompatibility: ${x(501)}`),
      ["compatibility has 501 characters; at most 500"],
    ],
    ["metadata at its limits", headed(`description: d\nmetadata: {${x(100)}: ${x(500)}}`), []],
    [
      "a metadata value of 501",
      headed(`description: d\nmetadata: {a: ${x(501)}}`),
      ["metadata.a has 501 characters; at most 500"],
    ],
    [
      "a metadata key of 101",
      headed(`description: d\nmetadata: {${x(101)}: b}`),
      ["metadata must have at most 100 keys, each of 1 to 100 characters"],
    ],
    ["metadata that is no text", headed("description: d\nmetadata: {a: [b]}"), ["metadata.a must be a text"]],
    ["99 files", { "SKILL.md": head("a"), ...many(99) }, []],
    ["100 files", { "SKILL.md": head("a"), ...many(100) }, ["files has 100 entries; at most 99"]],
    ["a file of 262,144 bytes", { "SKILL.md": head("a"), a: x(262_144) }, []],
    [
      "a file of a byte more",
      { "SKILL.md": head("a"), a: x(262_145) },
      ["a is 262145 bytes; a file is at most 262144"],
    ],
    ["a SKILL.md of 262,144 bytes", { "SKILL.md": made(262_144) }, []],
    [
      "a SKILL.md of a byte more as it is made",
      { "SKILL.md": made(262_145) },
      ["SKILL.md is 262145 bytes; a file is at most 262144"],
    ],
    ["1 MiB", { "SKILL.md": made(262_144), ...many(3, () => x(262_144)) }, []],
    [
      "1 MiB and a byte",
      { "SKILL.md": made(262_144), ...many(3, () => x(262_144)), g: "x" },
      ["SKILL.md and the files are 1048577 bytes; together they are at most 1048576"],
    ],
    ["99 files of 10,591 bytes and a SKILL.md of 67", { "SKILL.md": made(67), ...many(99, () => x(10_591)) }, []],
    ["10 segments", named("1/2/3/4/5/6/7/8/9/10"), []],
    ["11 segments", named("1/2/3/4/5/6/7/8/9/10/11"), ["1/2/3/4/5/6/7/8/9/10/11 must have at most 10 segments"]],
    ["a path of 240 bytes", named(`${x(120)}/${x(119)}`), []],
    [
      "a path of 241 bytes",
      named(`${x(120)}/${x(120)}`),
      [`${x(120)}/${x(120)} has 241 characters; at most 240`, `${x(120)}/${x(120)} must be at most 240 bytes in UTF-8`],
    ],
    ["a path of 120 letters of 2 bytes", named(`${"é".repeat(60)}/${"é".repeat(59)}a`), []],
    [
      "a path of 242 bytes in 121 letters",
      named(`${"é".repeat(60)}/${"é".repeat(60)}a`),
      [`${"é".repeat(60)}/${"é".repeat(60)}a must be at most 240 bytes in UTF-8`],
    ],
    ["a backslash", named("a\\b"), ["a\\b must have no control characters and no backslash: the separator is /"]],
    ["a space at the end", named("a "), ["a  must have no segment that begins or ends with a space"]],
    [
      "the made file in lower case",
      named("skill.md"),
      ["skill.md must not be SKILL.md or below it: that file is made from the other fields"],
    ],
    ["another SKILL.md", named("docs/SKILL.md"), []],
    ["one path composed and decomposed", { ...named("é.md"), "e\u0301.md": "" }, ["é.md is the path of two files"]],
  ])("%s", async (_, files, problems) => {
    expect(await faultsOf(files)).toEqual(problems);
  });

  it("a program outside scripts/", async () => {
    await put("bin/run.sh", "", 0o755);
    expect(await faultsOf({ "SKILL.md": head("a") })).toEqual([
      "bin/run.sh must be below scripts/, as the file is executable",
    ]);
  });

  it("a symbolic link, which it does not follow", async () => {
    await symlink("/etc/passwd", join(root, "passwd"));
    await symlink("/", join(root, "everything"));
    expect(await faultsOf({ "SKILL.md": head("a") })).toEqual([
      "everything is a symbolic link; a skill has only files",
      "passwd is a symbolic link; a skill has only files",
    ]);
  });

  it("1,000 files and folders, and stops at one more", async () => {
    for (let index = 0; index < 999; index += 1) await put(`f${String(index)}`, "");
    expect(await faultsOf({ "SKILL.md": head("a") })).toEqual(["files has 999 entries; at most 99"]);
    await put("more", "");
    expect((await skill("check", root)).err).toContain("holds more than 1000 files and folders");
  });

  it("how long a manifest may be, as escapes lengthen it", async () => {
    // Each of these is 6 bytes in JSON.
    const [fits, more] = ["\u0001".repeat(249_000), "\u0001".repeat(251_000)];
    expect(await faultsOf({ "SKILL.md": head("a"), a: fits })).toEqual([]);
    expect(await faultsOf({ "SKILL.md": head("a"), a: more })).toEqual([
      expect.stringMatching(/^the manifest is 15\d{5} bytes as JSON; the API server stores about 1500000$/),
    ]);
  });
});

describe("skill check of manifests", () => {
  const manifest = (spec: object, more: object = {}): string =>
    JSON.stringify({ apiVersion: "runwright.dev/v1alpha1", kind: "Skill", metadata: { name: "a", ...more }, spec });
  const configMap = (data: object): string =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "style" }, data });
  const file = { path: "style.md", configMapKeyRef: { name: "style", key: "style.md" } };
  const check = async (...documents: string[]): Promise<CliResult> => {
    await put("skills.yaml", documents.join("\n---\n"));
    return skill("check", join(root, "skills.yaml"));
  };

  it("shows the digest that the status would show, with the texts of ConfigMaps of the file", async () => {
    const { digest, bytes } = revisionOf("a", {
      description: "d",
      body: "",
      files: [{ path: "style.md", content: "bold" }],
    });
    const { status, out } = await check(
      manifest({ description: "d", files: [file] }),
      configMap({ "style.md": "bold" }),
    );
    expect(status).toBe(0);
    expect(out).toContain(`a     yes    ${bytes}     1      ${digest}`);
  });

  it("says which ConfigMap it does not know", async () => {
    const { status, out, err } = await check(manifest({ description: "d", files: [file] }));
    expect([status, err]).toEqual([0, `${root}/skills.yaml: a has a text from ConfigMap style, which was not judged`]);
    expect(out).toContain("not known");
    expect((await skill("preview", join(root, "skills.yaml"))).err).toContain("ConfigMap style, which is not in it");
  });

  it.each([
    [
      "a key that a ConfigMap lacks",
      [manifest({ description: "d", files: [file] }), configMap({})],
      "style.md: ConfigMap style has no key style.md",
    ],
    ["an unknown field", [manifest({ description: "d", allowedTools: "a" })], "allowedTools is no field of a Skill"],
    [
      "an unknown field of a file",
      [manifest({ description: "d", files: [{ path: "a", content: "", mode: 1 }] })],
      "files[0].mode is no field of a Skill",
    ],
    [
      "a file without content",
      [manifest({ description: "d", files: [{ path: "a" }] })],
      "a must have either content or configMapKeyRef",
    ],
    [
      "a path that leads out",
      [manifest({ description: "d", files: [{ path: "../a", content: "" }] })],
      "../a must be relative, such as references/api.md, with no segment that is empty, . or ..",
    ],
    [
      "a path that is no text",
      [manifest({ description: "d", files: [{ path: 1, content: "" }] })],
      "files[0] must be a text",
    ],
    ["a spec that is none", [manifest([] as object)], "description is missing"],
  ])("names %s", async (_, documents, problem) => {
    const { status, out, err } = await check(...documents);
    expect(out).toContain(`${root}/skills.yaml: ${problem}. `);
    expect([status, err]).toEqual([1, expect.stringMatching(/^error: 1 fault in 1 of 1 Skills$/m)]);
  });

  it("reads the items of a list, and passes over other kinds", async () => {
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [JSON.parse(manifest({ description: "d" })), JSON.parse(configMap({}))],
    });
    const { out } = await check(list, JSON.stringify({ apiVersion: "v1", kind: "Secret" }), "");
    expect(out).toMatch(/^a +yes +\d+ +0 +sha256:/m);
  });

  it("says what is no manifest", async () => {
    expect((await check("a: b: c")).err).toContain("skills.yaml is neither YAML nor JSON: Nested mappings");
    expect((await check("a: b")).err).toContain("skills.yaml has no Skill of runwright.dev/v1alpha1");
  });
});

it("skill preview shows the files and SKILL.md as agents get them", async () => {
  await put("SKILL.md", `---\nname: true\ndescription: d\n---\n# Steps\n`);
  await put("scripts/run.sh", "#!/bin/sh\n", 0o755);
  const { status, out } = await skill("preview", root);
  expect(status).toBe(0);
  expect(out).toMatch(/^true\/SKILL.md +46 +read$/m);
  expect(out).toMatch(/^true\/scripts\/run.sh +10 +read, run$/m);
  expect(out).toContain("\n56 bytes, sha256:");
  expect(out).toContain('---\nname: "true"\ndescription: "d"\n---\n# Steps\n');
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliResult, runPlugin } from "../../../test/support/cli.ts";
import { uploadImages } from "../gateway/upload-images.ts";
import { readFailure, unreadable } from "./unreadable.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "runwright-unreadable-"));
  await mkdir(join(root, "folder"));
  await symlink("circle", join(root, "circle"));
  await writeFile(join(root, "file"), "kind: Automation\nmetadata: {name: other}\n");
  await writeKubeconfig("kubeconfig", {});
  await writeKubeconfig("no-authority", { "certificate-authority": join(root, "none") });
});
afterAll(() => rm(root, { recursive: true }));

/** Of a cluster that is not there. */
async function writeKubeconfig(name: string, more: object): Promise<void> {
  const config = {
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", ...more } }],
    users: [{ name: "u", user: { token: "t" } }],
    "current-context": "c",
  };
  await writeFile(join(root, name), JSON.stringify(config));
}

const run = (argv: readonly string[], kubeconfig = "kubeconfig"): Promise<CliResult> =>
  runPlugin([...argv, "--kubeconfig", join(root, kubeconfig)]);
const toServer = ["--server", "https://127.0.0.1:1", "--kubeconfig-token"];

/** Commands that read a file, with how their error names it. */
const readers: [command: string, argv: (file: string) => string[], flag?: string][] = [
  ["skill check", (file) => ["skill", "check", file]],
  ["skill preview", (file) => ["skill", "preview", file]],
  ["explain -f", (file) => ["explain", "a/b", "-f", file]],
  ["explain --automation-file", (file) => ["explain", "a/b", "-f", join(root, "file"), "--automation-file", file]],
  ["key set -f", (file) => ["key", "set", "a/b", "-f", file, ...toServer]],
  ["prompt -f", (file) => ["prompt", "a/b", "-f", file]],
  [
    "--certificate-authority",
    (file) => ["analytics", ...toServer, "--certificate-authority", file],
    "--certificate-authority ",
  ],
];

describe("says what is wrong with a path, where, and what to do:", () => {
  it.each(readers)("%s of what is not there", async (_, argv, flag = "") => {
    const { status, out, err } = await run(argv(join(root, "none")));
    expect([status, out]).toEqual([1, ""]);
    expect(err).toBe(
      `error: ${flag}${root}/none cannot be read: it does not exist\nCheck the path; it is looked for from the current folder unless it begins with /`,
    );
  });

  it.each(readers)("%s of a path through a file", async (_, argv, flag = "") => {
    const { status, err } = await run(argv(join(root, "file", "none")));
    expect([status, err]).toEqual([
      1,
      `error: ${flag}${root}/file/none cannot be read: it is no folder, or something on its path is none\nCheck the path`,
    ]);
  });

  it.each(readers.filter(([command]) => !command.startsWith("skill")))("%s of a folder", async (_, argv, flag = "") => {
    const { status, err } = await run(argv(join(root, "folder")));
    expect([status, err]).toEqual([1, `error: ${flag}${root}/folder cannot be read: it is a folder\nName a file`]);
  });

  it.each(readers)("%s of a link to itself", async (_, argv, flag = "") => {
    const { status, err } = await run(argv(join(root, "circle")));
    expect([status, err]).toEqual([
      1,
      `error: ${flag}${root}/circle cannot be read: its symbolic links lead in a circle\nName the file itself`,
    ]);
  });

  it("skill render of what is not there, and of a file", async () => {
    const render = (name: string) => run(["skill", "render", join(root, name)]);
    expect((await render("none")).err).toContain(`${root}/none cannot be read: it does not exist\n`);
    expect((await render("file")).err).toContain(`${root}/file cannot be read: it is no folder`);
  });

  it.each(["none", "folder"])("--image %s", async (name) => {
    const flags = {} as Parameters<typeof uploadImages>[0]["flags"];
    const invocation = { flags } as Parameters<typeof uploadImages>[0];
    const session = { metadata: {}, spec: {} } as Parameters<typeof uploadImages>[1];
    await expect(uploadImages(invocation, session, [join(root, name)])).rejects.toThrow(
      `--image ${root}/${name} cannot be read: it ${name === "none" ? "does not exist\nCheck" : "is a folder\nName"}`,
    );
  });

  it("a kubeconfig that is not there, and what it names", async () => {
    expect((await run(["automations"], "none")).err).toMatch(
      /^error: the kubeconfig .*none cannot be read: it does not exist\n.*--kubeconfig FILE$/,
    );
    expect((await run(["automations"], "no-authority")).err).toMatch(
      /credentials cannot be had: .*none'\nCheck the files and programs that the kubeconfig names/,
    );
  });
});

it.each([
  ["EACCES", "you have no right to read it"],
  ["EPERM", "you have no right to read it"],
  ["ENAMETOOLONG", "its name is longer than the file system takes"],
])("%s", (code, want) => {
  const { reason, fix } = readFailure(Object.assign(new Error("raw"), { code }));
  expect([reason, fix]).toEqual([want, expect.stringMatching(/^C/)]);
});

it("keeps the words of what it does not know", () => {
  expect(unreadable("x", Object.assign(new Error("EIO: i/o error"), { code: "EIO" })).message).toBe(
    "x cannot be read: EIO: i/o error",
  );
  expect(unreadable("x", "thrown").message).toBe("x cannot be read: no reason was given");
});

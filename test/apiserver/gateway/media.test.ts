import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { mediaPath, sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import { mediaLimits, type PromptMedia } from "../../../src/api/v1alpha1/index.ts";
import { digestOf } from "../../../src/domain/images/image-key.ts";
import { mediaName } from "../../../src/domain/media/media-name.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { makeCaller, ours } from "../../support/people-world.ts";
import { testPrograms } from "../../support/programs.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";

vi.setConfig({ testTimeout: 600_000 });

/** It works until the test says that it is done. */
const command = [
  "sh",
  "-c",
  "touch ../started; until [ -e ../done ]; do sleep 0.05; done; rm ../done; echo Here it is.",
];
const mebibyte = 1_048_576;

let opened: GatewayWorld;
let agent: Agent;
let token: string;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  opened = await openGatewayWorld({ generatedMedia: true });
  agent = new Agent({ connect: { ca: opened.world.ca } });
  token = await makeCaller(opened.world, [ours("prompts", "get")], "tenant", "viewer");
  await writeFile(join(opened.world.directory, "gateway-ca.pem"), opened.world.ca);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(async () => {
  await agent.close();
  await opened.close();
});

let pictures = 0;
/** A picture that no other is like. */
function png(bytes = 100): Buffer {
  pictures += 1;
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(bytes - 8, String(pictures))]);
}

interface Working {
  sandbox: SandboxFixture;
  processes: SandboxProcesses;
  prompt: { name: string; uid: string };
  /** Names of the tools. */
  tools: string[];
  attach: (path: string) => Promise<{ isError: boolean; said: Record<string, unknown> }>;
  /** Writes a file into the workspace. */
  put: (name: string, content: Buffer | string) => Promise<void>;
  /** Ends the prompt; gives what it has attached. */
  done: () => Promise<PromptMedia | undefined>;
}

/** An agent at work, with its tools. */
async function atWork({ world, gateway }: GatewayWorld = opened): Promise<Working> {
  const sandbox = await makeSandbox(world, { bundle: { agent: { command, protocol: "exec" } } });
  const prompt = await sandbox.prompt("Show it.");
  const processes = await startSandbox(world, sandbox, gateway.sandboxUrl);
  ends.push(() => processes.kill());
  const directory = join(world.directory, `${sandbox.session}-1`);
  await eventually("the agent is at work", () => existsSync(join(directory, "started")));
  const client = new Client({ name: "agent", version: "1" });
  const env = {
    PATH: process.env.PATH ?? "",
    RUNWRIGHT_SOCKET_DIRECTORY: join(directory, "socket"),
    RUNWRIGHT_WORKSPACE: processes.workspace,
  };
  const cwd = processes.workspace;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [testPrograms().sandbox, "children"], env, cwd }),
  );
  ends.push(() => client.close());
  return {
    sandbox,
    processes,
    prompt,
    tools: (await client.listTools()).tools.map(({ name }) => name),
    async attach(path) {
      const { content, isError } = await client.callTool({ name: "attach-file", arguments: { path } });
      const [{ text }] = content as [{ text: string }];
      return { isError: isError === true, said: JSON.parse(text) as Record<string, unknown> };
    },
    put: (name, content) => writeFile(join(processes.workspace, name), content),
    async done() {
      await writeFile(join(directory, "done"), "");
      return (await sandbox.settled(prompt.name)).media as PromptMedia | undefined;
    },
  };
}

const blobsOf = async ({ sandbox, prompt }: Working): Promise<string[]> =>
  readdir(join(opened.world.blobDirectory, sandbox.sessionUid, "media", prompt.uid)).catch(() => []);

interface Upload {
  promptUid?: string;
  bearer?: string;
  to?: GatewayWorld;
}

/** Sends what the runtime of an agent at work would send. */
async function upload(
  { prompt, sandbox }: Working,
  content: Buffer,
  { promptUid = prompt.uid, bearer, to = opened }: Upload = {},
): Promise<{ status: number; code: string | undefined }> {
  const url = to.gateway.sandboxUrl.replace(/^wss:/, "https:");
  const path = sandboxPath(sandbox.sessionUid, sandbox.attempt) + mediaPath + promptUid;
  const headers = { authorization: `Bearer ${bearer ?? (await sandbox.token())}` };
  const dispatcher = new Agent({ connect: { ca: to.world.ca } });
  const answer = await request(url + path, { dispatcher, method: "POST", headers, body: content });
  const { code } = (await answer.body.json()) as { code?: string };
  await dispatcher.close();
  return { status: answer.statusCode, code };
}

describe("a file that the agent attaches", () => {
  it("is in the blob store and in the Prompt's status, and people get it from the API", async () => {
    const work = await atWork();
    expect(work.tools).toContain("attach-file");
    const content = png(3 * mebibyte);
    await work.put("chart.png", content);
    expect(await work.attach("chart.png")).toEqual({
      isError: false,
      said: { attached: { mediaType: "image/png", bytes: content.length } },
    });
    const media = await work.done();
    expect(media).toEqual({
      files: [
        {
          digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
          mediaType: "image/png",
          fileName: "chart.png",
          bytes: content.length,
        },
      ],
      leftOut: 0,
    });
    const [file] = media!.files;
    expect(await blobsOf(work)).toEqual([mediaName(file!)]);
    const { namespace } = { namespace: opened.world.tenant };
    const prompt = `/sessions/${namespace}.${work.sandbox.session}/prompts/${work.prompt.name}`;
    const ask = (path: string, bearer = token) =>
      request(opened.gateway.peopleUrl + path, { dispatcher: agent, headers: { authorization: `Bearer ${bearer}` } });
    const path = `${prompt}/media/${mediaName(file!)}`;
    expect(await (await ask(prompt)).body.json()).toMatchObject({
      prompt: {
        media: { files: [{ fileName: "chart.png", mediaType: "image/png", bytes: content.length, path }], leftOut: 0 },
      },
    });
    const get = (name: string, bearer: string) => ask(`${prompt}/media/${name}`, bearer);
    const got = await ask(path);
    expect([got.statusCode, got.headers["content-type"], got.headers["x-content-type-options"]]).toEqual([
      200,
      "image/png",
      "nosniff",
    ]);
    expect(got.headers["content-disposition"]).toBe("attachment");
    expect(Buffer.from(await got.body.arrayBuffer()).equals(content)).toBe(true);
    for (const [name, bearer, status] of [
      [mediaName({ ...file!, mediaType: "image/gif" }), token, 404],
      ["nothing", token, 404],
      [mediaName(file!), await makeCaller(opened.world, [ours("prompts", "list")], "tenant"), 403],
      [mediaName(file!), await work.sandbox.token(), 401],
    ] as const) {
      const { statusCode, body } = await get(name, bearer);
      await body.dump();
      expect([name, statusCode]).toEqual([name, status]);
    }
  });

  it("is left out by the rules of an answer, and counted", async () => {
    const work = await atWork();
    for (const [name, mebibytes] of Object.entries({ a: 10, b: 10, c: 6, d: 5 }))
      await work.put(`${name}.png`, png(mebibytes * mebibyte));
    const said = [];
    for (const name of ["a", "b", "c", "d", "a"]) said.push((await work.attach(`${name}.png`)).isError);
    expect(said).toEqual([false, false, true, false, false]);
    const media = await work.done();
    expect([media?.files.map(({ fileName }) => fileName), media?.leftOut]).toEqual([["a.png", "b.png", "d.png"], 1]);
    expect(await blobsOf(work)).toHaveLength(3);
  });

  it.each([
    ["of 10 MiB", 10 * mebibyte, false],
    ["of a byte more, which is not read", 10 * mebibyte + 1, true],
  ])("%s", async (_, bytes, isError) => {
    const work = await atWork();
    await work.put("one.png", png(bytes));
    expect((await work.attach("one.png")).isError).toBe(isError);
    expect(await work.done()).toMatchObject({ leftOut: isError ? 1 : 0 });
    expect(await blobsOf(work)).toHaveLength(isError ? 0 : 1);
  });

  it("is none outside the workspace, behind a link that leads there, or of another format", async () => {
    const work = await atWork();
    const outside = join(work.processes.home, "secret.png");
    await writeFile(outside, png());
    await symlink(outside, join(work.processes.workspace, "link.png"));
    await symlink(work.processes.home, join(work.processes.workspace, "folder"));
    await mkdir(join(work.processes.workspace, "nothing.png"));
    await work.put("text.png", "hello");
    const inside = png();
    await work.put("inside.png", inside);
    await symlink(join(work.processes.workspace, "inside.png"), join(work.processes.workspace, "same.png"));
    const codes = [];
    for (const path of [outside, "link.png", "folder/secret.png", "nothing.png", "gone.png", "text.png"])
      codes.push((await work.attach(path)).said.code);
    expect(codes).toEqual([...Array<string>(5).fill("InvalidRequest"), "NotMedia"]);
    expect((await work.attach("same.png")).isError).toBe(false);
    const media = await work.done();
    expect([media?.files.map(({ bytes }) => bytes), media?.leftOut]).toEqual([[inside.length], 1]);
    expect((await work.attach("inside.png")).said.code).toBe("NoPrompt");
  });
});

describe("kubectl runwright media", () => {
  let work: Working;
  let target: string;
  const contents = [png(), png(2 * mebibyte)];
  beforeAll(async () => {
    work = await atWork();
    for (const [at, content] of contents.entries()) {
      await work.put(`chart${at}.png`, content);
      await work.attach(`chart${at}.png`);
    }
    await work.done();
    target = join(opened.world.directory, "downloaded.png");
  });

  const call = (...argv: string[]): Promise<CliResult> => {
    const { tenant, release, directory } = opened.world;
    const to = ["--server", opened.gateway.peopleUrl, "--certificate-authority", join(directory, "gateway-ca.pem")];
    const by = ["--service-account", `${tenant}/viewer`, "--release-namespace", release.namespace];
    const of = ["media", `${tenant}/${work.prompt.name}`, "--kubeconfig", testCluster().kubeconfig];
    return runPlugin([...of, ...to, ...by, ...argv]);
  };

  it("lists the files with their types and sizes", async () => {
    const { status, out } = await call();
    expect([status, ...out.split("\n")]).toEqual([
      0,
      "#  FILE        TYPE       BYTES",
      "1  chart0.png  image/png  100",
      "2  chart1.png  image/png  2097152",
      expect.stringContaining(`media ${opened.world.tenant}/${work.prompt.name} NUMBER --to FILE`),
      "",
    ]);
    expect(JSON.parse((await call("-o", "json")).out)).toMatchObject({
      files: [{ fileName: "chart0.png" }, { fileName: "chart1.png" }],
      leftOut: 0,
    });
  });

  it("downloads one to a file that was not there, and overwrites none", async () => {
    expect(await call("2", "--to", target)).toEqual({
      status: 0,
      out: `${target} was written: image/png, 2097152 bytes\n`,
      err: "",
    });
    expect((await readFile(target)).equals(contents[1]!)).toBe(true);
    const again = await call("1", "--to", target);
    expect([again.status, again.err]).toEqual([1, expect.stringContaining("exists already")]);
    expect((await readFile(target)).equals(contents[1]!)).toBe(true);
  });

  it.each([
    { args: ["1"], status: 2, want: "NUMBER needs --to FILE" },
    { args: ["--to", "x.png"], status: 2, want: "NUMBER is missing, but it must be 1 to 2" },
    { args: ["0", "--to", "x.png"], status: 2, want: 'NUMBER is "0", but it must be 1 to 2' },
    { args: ["3", "--to", "x.png"], status: 2, want: 'NUMBER is "3", but it must be 1 to 2' },
    { args: ["9", "--to", "x.png"], status: 2, want: "has 2 files" },
    { args: ["chart0.png", "--to", "x.png"], status: 2, want: 'NUMBER is "chart0.png"' },
  ])("refuses $args", async ({ args, status, want }) => {
    expect(await call(...args)).toMatchObject({ status, err: expect.stringContaining(want) as string });
    expect(existsSync("x.png")).toBe(false);
  });

  it("writes nothing of a file that the gateway has no more, or has with other bytes", async () => {
    const digest = await digestOf(contents[0]!);
    const name = mediaName({ digest, mediaType: "image/png" });
    const stored = join(opened.world.blobDirectory, work.sandbox.sessionUid, "media", work.prompt.uid, name);
    const gone = join(opened.world.directory, "gone.png");
    await writeFile(stored, png());
    expect(await call("1", "--to", gone)).toMatchObject({
      status: 1,
      err: expect.stringContaining("other bytes") as string,
    });
    await rm(stored);
    expect(await call("1", "--to", gone)).toMatchObject({
      status: 1,
      err: expect.stringContaining("no such file") as string,
    });
    expect(existsSync(gone)).toBe(false);
  });

  it("says that a prompt has no files, or that there is no such prompt", async () => {
    const bare = await makeSandbox(opened.world);
    const { name } = await bare.prompt("Say it.");
    const of = (prompt: string, ...more: string[]): Promise<CliResult> =>
      runPlugin(["media", `${opened.world.tenant}/${prompt}`, "--kubeconfig", testCluster().kubeconfig, ...more]);
    expect(await of(name)).toMatchObject({ status: 0, out: expect.stringContaining("once it has ended") as string });
    expect(await of(name, "--to", "x.png")).toMatchObject({
      status: 1,
      err: expect.stringContaining("no files") as string,
    });
    expect(await of("nothing")).toMatchObject({
      status: 1,
      err: expect.stringContaining("there is no Prompt") as string,
    });
  });
});

describe("an upload of a runtime", () => {
  it("is for the prompt that runs, by its own pod, and bounded whatever the runtime says", async () => {
    const work = await atWork();
    const other = await makeSandbox(opened.world);
    expect(await upload(work, png(), { promptUid: other.sessionUid })).toEqual({ status: 422, code: "NoPrompt" });
    expect(await upload(work, png(), { promptUid: "..%2f.." })).toEqual({ status: 404, code: "NotFound" });
    expect((await upload(work, png(), { bearer: await other.token() })).status).toBe(403);
    expect(await upload(work, Buffer.from("hello"))).toEqual({ status: 422, code: "NotMedia" });
    const same = png();
    for (let sent = 0; sent < 2; sent += 1) expect((await upload(work, same)).status).toBe(201);
    for (let sent = 1; sent < mediaLimits.perPrompt; sent += 1) expect((await upload(work, png())).status).toBe(201);
    expect(await upload(work, png())).toEqual({ status: 422, code: "LeftOut" });
    expect(await blobsOf(work)).toHaveLength(mediaLimits.perPrompt);
    await work.done();
    await work.sandbox.status({ currentPrompt: null });
    expect(await upload(work, same)).toEqual({ status: 422, code: "NoPrompt" });
  });
});

describe("where the operator lets no agent attach files", () => {
  it("there is no such tool, no upload is taken, and an answer has no files", async () => {
    const off = await openGatewayWorld();
    ends.push(() => off.close());
    const work = await atWork(off);
    expect(work.tools).not.toContain("attach-file");
    expect(await upload(work, png(), { to: off })).toEqual({ status: 404, code: "NotFound" });
    expect(await work.done()).toBeUndefined();
  });
});

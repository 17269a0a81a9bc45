import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { imagesPath, sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import { imageLimits, type PromptImage, PromptStatus } from "../../../src/api/v1alpha1/index.ts";
import type { BlobStore } from "../../../src/blobs/blob-store.ts";
import type { DirectoryStore } from "../../../src/blobs/directory-store.ts";
import { imageName } from "../../../src/domain/images/image-key.ts";
import { settingsOf } from "../../../src/domain/settings/effective.ts";
import { sharedPlaces } from "../../../src/gateway/http/shared-places.ts";
import { mostImages } from "../../../src/gateway/sessions/images/room-for-images.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { makeCaller, ours } from "../../support/people-world.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";

// Starts processes, which on a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000 });

const program = join(import.meta.dirname, "..", "..", "support", "acp-agent.ts");

let opened: GatewayWorld;
let folder: string;
let store: DirectoryStore;
let put: BlobStore["put"] | undefined;
let http: Agent;
let token: string;
const started: SandboxProcesses[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-images-"));
  store = await openDirectoryStore(folder);
  const blobs: BlobStore = {
    put: (...args) => (put ?? store.put.bind(store))(...args),
    get: store.get.bind(store),
    list: store.list.bind(store),
    owners: store.owners.bind(store),
    delete: store.delete.bind(store),
    deleteAll: store.deleteAll.bind(store),
  };
  // No controller decides about prompts here.
  opened = await openGatewayWorld({ blobs, patience: { answerMs: 120_000, decisionMs: 1 } });
  http = new Agent({ connect: { ca: opened.world.ca } });
  token = await makeCaller(opened.world, [ours("prompts", "create")], "tenant", "painter");
  await writeFile(join(folder, ".ca.pem"), opened.world.ca);
});
afterEach(() => {
  put = undefined;
});
afterAll(async () => {
  for (const processes of started) processes.kill();
  await http.close();
  await opened.close();
  await rm(folder, { recursive: true, force: true });
});

const beginnings = {
  "image/png": "\x89PNG\r\n\x1a\n",
  "image/jpeg": "\xff\xd8\xff\xe0",
  "image/gif": "GIF89a",
  "image/webp": "RIFF\0\0\0\0WEBP",
} as const;

/** Content of this many bytes that begins as an image of the type does. */
function anImage(mediaType: keyof typeof beginnings, size = 200_000, fill = "x"): Buffer {
  const content = Buffer.alloc(size, fill);
  content.write(beginnings[mediaType], "latin1");
  return content;
}

const namedBy = (content: Buffer, mediaType: PromptImage["mediaType"]): PromptImage => ({
  digest: `sha256:${createHash("sha256").update(content).digest("hex")}`,
  mediaType,
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function send(path: string, body: Buffer | string, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await request(opened.gateway.peopleUrl + path, {
    dispatcher: http,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "image/png", ...headers },
    body,
  });
  return { status: answer.statusCode, body: (await answer.body.json()) as Record<string, unknown> };
}

const pathOf = ({ session }: SandboxFixture, rest: string): string =>
  `/sessions/${opened.world.tenant}.${session}${rest}`;
const upload = (sandbox: SandboxFixture, content: Buffer, headers?: Record<string, string>): Promise<Answer> =>
  send(pathOf(sandbox, "/images"), content, headers);
const ask = (sandbox: SandboxFixture, body: object): Promise<Answer> =>
  send(pathOf(sandbox, "/prompts"), JSON.stringify(body), { "content-type": "application/json" });

async function withAgent(command: readonly string[], protocol: "acp" | "exec"): Promise<SandboxFixture> {
  const sandbox = await makeSandbox(opened.world, { bundle: { agent: { command: [...command], protocol } } });
  started.push(await startSandbox(opened.world, sandbox, opened.gateway.sandboxUrl));
  await sandbox.noted("ready-time");
  return sandbox;
}

/** How a prompt that was applied ended. */
async function outcomeOf(sandbox: SandboxFixture, text: string, images: readonly PromptImage[]): Promise<object> {
  const { name } = await sandbox.prompt(text, images);
  const status = await sandbox.settled(name);
  const { conditions, result } = PromptStatus.parse(status);
  const { reason, message } = conditions?.find(({ type }) => type === "Succeeded") ?? {};
  return { reason, message, said: result?.summary };
}

describe("an upload", () => {
  let sandbox: SandboxFixture;
  beforeAll(async () => {
    sandbox = await makeSandbox(opened.world);
  });

  it.each(Object.keys(beginnings) as (keyof typeof beginnings)[])("of %s gets its name", async (mediaType) => {
    const content = anImage(mediaType);
    // The header does not count.
    const answer = await upload(sandbox, content, { "content-type": "text/plain" });
    expect(answer).toEqual({ status: 201, body: { image: { ...namedBy(content, mediaType), size: 200_000 } } });
    expect(await upload(sandbox, content)).toEqual(answer);
  });

  it.each([
    { size: imageLimits.bytes - 1, want: 201 },
    { size: imageLimits.bytes, want: 201 },
    { size: imageLimits.bytes + 1, want: 413 },
  ])("of $size bytes is answered $want", async ({ size, want }) => {
    const { status, body } = await upload(sandbox, anImage("image/png", size));
    expect(status).toBe(want);
    if (want === 413)
      expect(body).toEqual({ code: "PayloadTooLarge", error: "the body is larger than 10485760 bytes" });
  });

  it.each([
    { name: "a text", content: Buffer.from("not an image") },
    { name: "nothing", content: Buffer.alloc(0) },
    { name: "a drawing", content: Buffer.from("<svg/>") },
  ])("of $name is refused, whatever it is called", async ({ content }) => {
    expect(await upload(sandbox, content)).toMatchObject({ status: 400, body: { code: "NotAnImage" } });
  });

  it("is refused to who may not create prompts, and before a session is looked for", async () => {
    const stranger = await makeCaller(opened.world, [ours("sessions", "get")], "tenant");
    const headers = { authorization: `Bearer ${stranger}` };
    expect((await upload(sandbox, anImage("image/png"), headers)).status).toBe(403);
    const nowhere = `/sessions/${opened.world.tenant}.nobody/images`;
    expect((await send(nowhere, anImage("image/png"), headers)).status).toBe(403);
    expect((await send(nowhere, anImage("image/png"))).status).toBe(404);
    expect((await send(nowhere, anImage("image/png"), { authorization: "" })).status).toBe(401);
  });

  it("is 503 while the blob store takes nothing, and stored when it is sent again", async () => {
    const content = anImage("image/png", 1_000, "again");
    put = () => Promise.reject(new Error("no space left"));
    expect(await upload(sandbox, content)).toMatchObject({ status: 503, body: { code: "Unavailable" } });
    put = undefined;
    expect((await upload(sandbox, content)).status).toBe(201);
  });

  it("takes the place of the oldest image that no unfinished prompt names where there are 300", async () => {
    const full = await makeSandbox(opened.world);
    const place = join(folder, full.sessionUid, "images");
    await mkdir(place, { recursive: true });
    const images = Array.from({ length: mostImages }, (_, at): PromptImage => ({
      digest: `sha256:${String(at).padStart(64, "0")}`,
      mediaType: "image/png",
    }));
    for (const [at, image] of images.entries()) {
      await writeFile(join(place, imageName(image)), "");
      await utimes(join(place, imageName(image)), 1_000 + at, 1_000 + at);
    }
    expect((await ask(full, { text: "look", images: images.slice(0, 2) })).status).toBe(202);
    expect((await upload(full, anImage("image/png"))).status).toBe(201);
    const kept = await readdir(place);
    expect(kept).toHaveLength(mostImages);
    expect(images.filter((image) => !kept.includes(imageName(image)))).toEqual([images[2]]);
  });

  it("waits for others to end where many are under way", async () => {
    const gate = Promise.withResolvers<undefined>();
    let begun = 0;
    put = async (...args) => {
      begun += 1;
      await gate.promise;
      await store.put(...args);
    };
    // A namespace has half of the places while no other wants any.
    const places = sharedPlaces.imageUploads.places / 2;
    const contents = Array.from({ length: places }, (_, index) => anImage("image/gif", 1_000 + index));
    const sent = contents.map((content) => upload(sandbox, content));
    await eventually("all are under way", () => begun === places);
    expect(await upload(sandbox, anImage("image/gif", 2_000))).toMatchObject({
      status: 503,
      body: {
        code: "Busy",
        error: expect.stringContaining("has its share of the gateway's 8 places for uploads of images") as string,
      },
    });
    gate.resolve(undefined);
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(contents.map(() => 201));
    expect((await upload(sandbox, anImage("image/gif", 2_000))).status).toBe(201);
  });
});

describe("a prompt of the API", () => {
  let sandbox: SandboxFixture;
  let image: PromptImage;
  beforeAll(async () => {
    sandbox = await makeSandbox(opened.world);
    const content = anImage("image/png");
    image = namedBy(content, "image/png");
    await upload(sandbox, content);
  });

  it("has the images that it names, and may say nothing beside them", async () => {
    const images = [{ ...image, fileName: "shot.png" }, image];
    const { status, body } = await ask(sandbox, { text: "", images });
    expect({ status, body }).toMatchObject({ status: 202, body: { prompt: { text: "", images } } });
    const { spec } = await sandbox.readPrompt((body.prompt as { id: string }).id);
    expect(spec).toMatchObject({ text: "", images });
  });

  it.each([
    { count: 6, want: { status: 202 } },
    { count: 7, want: { status: 400, body: { code: "InvalidRequest" } } },
  ])("may have $count images: $want.status", async ({ count, want }) => {
    expect(await ask(sandbox, { text: "look", images: Array.from({ length: count }, () => image) })).toMatchObject(
      want,
    );
  });

  it("is refused where the session lacks one of them, which it names", async () => {
    const other = await makeSandbox(opened.world);
    const refusal = (error: string): object => ({ status: 400, body: { code: "ImageNotFound", error } });
    const unknown = { ...image, digest: `sha256:${"0".repeat(64)}`, fileName: "a.png" };
    const missing = refusal(
      `the session has no image "a.png" (${unknown.digest}) of type image/png; upload it to this session first`,
    );
    expect(await ask(sandbox, { text: "look", images: [image, unknown] })).toEqual(missing);
    expect(await ask(other, { text: "look", images: [image] })).toMatchObject({ body: { code: "ImageNotFound" } });
    const misnamed = { ...image, mediaType: "image/gif" };
    expect(await ask(sandbox, { text: "look", images: [misnamed] })).toMatchObject({ body: { code: "ImageNotFound" } });
    expect(await ask(sandbox, { text: " ", images: [] })).toMatchObject({
      status: 400,
      body: { code: "InvalidRequest" },
    });
  });

  it("is the same one again only with the same images", async () => {
    const clientRequestId = "once";
    const first = await ask(sandbox, { text: "look", images: [image], clientRequestId });
    expect(await ask(sandbox, { text: "look", images: [image], clientRequestId })).toEqual(first);
    const without = await ask(sandbox, { text: "look", clientRequestId });
    expect(without).toMatchObject({ status: 409, body: { code: "RequestConflict" } });
  });

  it("is refused at the session's cost limit, with both figures", async () => {
    const costly = await makeSandbox(opened.world);
    const settings = { ...settingsOf({}), maxSessionCostUsd: "0.50" };
    await costly.status({ costUsd: "0.499999", settings });
    expect((await ask(costly, { text: "go on" })).status).toBe(202);
    await costly.status({ costUsd: "0.5" });
    expect(await ask(costly, { text: "go on" })).toEqual({
      status: 409,
      body: {
        code: "CostLimitReached",
        error:
          "the session has cost 0.5 USD and its maxSessionCostUsd is 0.50; raise it on the Session, and send the prompt again",
      },
    });
  });
});

describe("kubectl runwright prompt --image", () => {
  let sandbox: SandboxFixture;
  beforeAll(async () => {
    sandbox = await makeSandbox(opened.world);
  });

  // No controller decides about the prompt, which it would wait for.
  const hastyClock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * 1_000 };
  const call = (...argv: string[]): Promise<CliResult> => {
    const { tenant, release } = opened.world;
    const to = ["--server", opened.gateway.peopleUrl, "--certificate-authority", join(folder, ".ca.pem")];
    const by = ["--service-account", `${tenant}/painter`, "--release-namespace", release.namespace];
    const of = ["prompt", `${tenant}/${sandbox.session}`, "--kubeconfig", testCluster().kubeconfig];
    return runPlugin([...of, ...to, ...by, ...argv], { clock: hastyClock });
  };
  const fileOf = async (name: string, content: Buffer): Promise<string> => {
    const file = join(opened.world.directory, name);
    await writeFile(file, content);
    return file;
  };

  it("uploads the files and asks with them, without a text if there is none", async () => {
    const [png, gif] = [anImage("image/png"), anImage("image/gif", imageLimits.bytes)];
    const files = [await fileOf("shot.jpeg", png), await fileOf("ünder way.gif", gif)];
    const { status, out, err } = await call("--image", files[0]!, "--image", files[1]!, "-o", "json");
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const { spec } = JSON.parse(out) as { spec: object };
    expect(spec).toMatchObject({
      text: "",
      images: [
        { ...namedBy(png, "image/png"), fileName: "shot.jpeg" },
        { ...namedBy(gif, "image/gif"), fileName: "ünder way.gif" },
      ],
    });
  });

  it.each([
    { name: "is no image", content: Buffer.from("text"), says: "is no PNG, JPEG, WebP or GIF image" },
    {
      name: "is too large",
      content: anImage("image/png", imageLimits.bytes + 1),
      says: "is larger than 10485760 bytes",
    },
  ])("names a file that $name and uploads nothing", async ({ content, says }) => {
    const files = [await fileOf("good.png", anImage("image/png", 77)), await fileOf("bad.png", content)];
    const { status, err } = await call("Look.", "--image", files[0]!, "--image", files[1]!);
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringContaining(`--image ${files[1]!} ${says}`) as string,
    });
    const known = imageName(namedBy(anImage("image/png", 77), "image/png"));
    expect(await store.get(`${sandbox.sessionUid}/images/${known}`)).toBeUndefined();
  });

  it("takes six and no more, and says which cannot be read", async () => {
    const files = Array.from({ length: 7 }, () => ["--image", "/nowhere.png"]).flat();
    expect(await call("Look.", ...files)).toMatchObject({
      status: 2,
      err: expect.stringContaining("at most 6") as string,
    });
    expect(await call("Look.", ...files.slice(2))).toMatchObject({
      status: 1,
      err: expect.stringContaining("--image /nowhere.png cannot be read") as string,
    });
  });
});

describe("a runtime", () => {
  it("shows the agent the bytes that were uploaded, and says what it cannot have", async () => {
    const sandbox = await withAgent([process.execPath, program], "acp");
    const [png, jpeg] = [anImage("image/png", imageLimits.bytes), anImage("image/jpeg", 99)];
    const images = [namedBy(png, "image/png"), namedBy(jpeg, "image/jpeg")];
    for (const content of [png, jpeg]) expect((await upload(sandbox, content)).status).toBe(201);
    const shown = images.map(({ mediaType, digest }) => `${mediaType} ${digest.slice(7)}`);
    expect(await outcomeOf(sandbox, "echo seen", images)).toEqual({
      reason: "Completed",
      message: "the agent finished",
      said: ["turn 1: seen", "", ...shown].join("\n"),
    });

    const missing = { ...images[0]!, digest: `sha256:${"0".repeat(64)}`, fileName: "a.png" };
    expect(await outcomeOf(sandbox, "echo seen", [images[1]!, missing])).toEqual({
      reason: "Failed",
      message: `the session has no image "a.png" (${missing.digest}) of type image/png: upload it to this session, then ask again in another prompt`,
      said: undefined,
    });

    await writeFile(join(folder, sandbox.sessionUid, "images", imageName(images[1]!)), anImage("image/jpeg", 98));
    expect(await outcomeOf(sandbox, "echo seen", images)).toMatchObject({
      reason: "Failed",
      message: `image ${images[1]!.digest} came with another digest: what the blob store holds was changed`,
    });
  });

  it("writes them where an agent of protocol exec finds them, and those of the next prompt in their place", async () => {
    const list = "cat; echo; cd ..; find . -path './*/.runwright/images/*' -exec sha256sum {} + | cut -d ' ' -f 1";
    const sandbox = await withAgent(["bash", "-c", list], "exec");
    const [png, jpeg] = [anImage("image/png", imageLimits.bytes), anImage("image/jpeg", 99)];
    for (const content of [png, jpeg]) expect((await upload(sandbox, content)).status).toBe(201);
    const images = [{ ...namedBy(png, "image/png"), fileName: "shot.png" }, namedBy(jpeg, "image/jpeg")];
    const digests = images.map(({ digest }) => digest.slice("sha256:".length));
    const both = (await outcomeOf(sandbox, "Look.", images)) as { reason: string; said: string };
    expect(both.reason).toBe("Completed");
    const [text, , title, first, second, ...found] = both.said.split("\n");
    expect([text, title]).toEqual(["Look.", "Images of this prompt:"]);
    expect(first).toMatch(new RegExp(String.raw`^- /.*/\.runwright/images/${digests[0]!}\.png \("shot\.png"\)$`));
    expect(second).toMatch(new RegExp(String.raw`^- /.*/\.runwright/images/${digests[1]!}\.jpeg$`));
    expect(found.sort()).toEqual([...digests].sort());
    const one = (await outcomeOf(sandbox, "And this?", [images[1]!])) as { said: string };
    expect(one.said.split("\n").slice(4)).toEqual([digests[1]]);

    const missing = { ...images[0]!, digest: `sha256:${"0".repeat(64)}` };
    expect(await outcomeOf(sandbox, "Look.", [missing])).toMatchObject({
      reason: "Failed",
      message: expect.stringContaining("the session has no image") as string,
    });
  });

  it("gets images of its own session alone", async () => {
    const [own, other] = [await makeSandbox(opened.world), await makeSandbox(opened.world)];
    const content = anImage("image/webp");
    await upload(own, content);
    const name = imageName(namedBy(content, "image/webp"));
    const fetched = async (of: SandboxFixture, by: SandboxFixture, file = name): Promise<number> => {
      const url = `https://localhost:${opened.gateway.ports.sandbox}${sandboxPath(of.sessionUid, of.attempt)}${imagesPath}${file}`;
      const headers = { authorization: `Bearer ${await by.token()}` };
      const answer = await request(url, { dispatcher: http, headers });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      if (answer.statusCode === 200) expect(bytes.equals(content)).toBe(true);
      return answer.statusCode;
    };
    await eventually("the gateway knows the sandbox", async () => (await fetched(own, own)) === 200);
    await eventually("the gateway knows the other one", async () => (await fetched(other, other)) === 404);
    expect(await fetched(own, other)).toBe(403);
    expect(await fetched(own, own, "..%2Fevents%2Fx")).toBe(404);
    expect(await fetched(own, own, `${name}.png`)).toBe(404);
  });
});

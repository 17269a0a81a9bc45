import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type AttachedFile, type Integration, Prompt, type PromptMedia } from "../../../src/api/v1alpha1/index.ts";
import { mediaName } from "../../../src/domain/media/media-name.ts";
import { aVerdict } from "../../support/builders.ts";
import { until } from "../../support/kube.ts";
import { makeCaller, ours } from "../../support/people-world.ts";
import { type GatewayWorld, openGatewayWorld } from "../../support/runtime-gateway.ts";
import type { SlackFault, SlackMessage } from "../../support/slack-server.ts";
import type { SharedFiles } from "../../support/slack-media.ts";
import { handled, makeSlackIntegration, mention, saidIn, subjectOf, watchSteps } from "./slack-world.ts";
import { killAfterEachStep } from "./killing.ts";
import { type Connector, World } from "./world.ts";

let world: World;
let gateway: GatewayWorld;
let integration: Integration;
let places = 0;

beforeAll(async () => {
  world = await World.make();
  gateway = await openGatewayWorld({ generatedMedia: true });
  const [authoritiesFile, tokenFile] = ["ca.pem", "token"].map((name) => join(gateway.world.directory, name));
  await writeFile(authoritiesFile!, gateway.world.ca);
  await writeFile(tokenFile!, await makeCaller(gateway.world, [ours("prompts", "get")], "everywhere"));
  world.gateway = { url: gateway.gateway.peopleUrl, authoritiesFile: authoritiesFile!, tokenFile: tokenFile! };
  integration = await makeSlackIntegration(world);
});
afterAll(async () => {
  await world.close();
  await gateway.close();
});
afterEach(() => {
  world.slack.fault = undefined;
  world.slack.before = undefined;
  world.slack.after = undefined;
  world.slack.media.uploadHost = undefined;
  world.slack.scopes.add("files:write");
  expect(world.slack.leaked).toEqual([]);
});

interface Attached {
  name: string;
  content: Buffer;
}

const picture = (name: string, bytes = 200): Attached => ({
  name: `${name}.png`,
  content: Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(bytes - 8, name)]),
});

interface Answered {
  root: string;
  place: string;
  prompt: Prompt;
  /** Where the gateway has the files. */
  folder: string;
}

/** A request in a channel of its own whose agent has answered with these files; the gateway has them. */
async function answered(files: readonly Attached[], { leftOut = 0, summary = "Here it is." } = {}): Promise<Answered> {
  const place = `C0M${(places += 1)}`;
  const { event, root } = mention(world, "show me", { channel: place });
  await handled(world, integration, { ...event, channel: place });
  return answerTo(root, place, files, { leftOut, summary });
}

async function answerTo(
  root: string,
  place: string,
  files: readonly Attached[],
  { leftOut = 0, summary = "Here it is." } = {},
): Promise<Answered> {
  const { sessions, prompts } = await world.work(subjectOf(root, place));
  const prompt = prompts.at(-1)!;
  const folder = join(gateway.world.blobDirectory, sessions[0]!.metadata.uid!, "media", prompt.metadata.uid!);
  await mkdir(folder, { recursive: true });
  const known = files.map(({ name: fileName, content }): AttachedFile => {
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    return { digest, mediaType: "image/png", fileName, bytes: content.length };
  });
  for (const [at, file] of known.entries()) await writeFile(join(folder, mediaName(file)), files[at]!.content);
  await settle(prompt, { files: known, leftOut }, summary);
  return { root, place, prompt, folder };
}

async function settle(prompt: Prompt, media: PromptMedia, summary: string): Promise<void> {
  const live = await world.client.get(Prompt, { namespace: world.namespace, name: prompt.metadata.name! });
  const now = new Date();
  await world.client.patchStatus(Prompt, live, {
    observedGeneration: 1,
    startTime: now.toISOString(),
    completionTime: now.toISOString(),
    result: { summary },
    media,
    conditions: [aVerdict(true, "Completed", now)],
  });
}

const saying = (root: string, place: string, part: string): SlackMessage[] =>
  saidIn(world, root, place).filter(({ text }) => text.includes(part));

const sharedIn = ({ root, place }: Pick<Answered, "root" | "place">): SharedFiles[] =>
  world.slack.media.shared.filter(({ channel, thread_ts: thread }) => channel === place && thread === root);

/** Waits until nothing is left to be posted about an answer. */
async function told({ root, place }: Answered): Promise<void> {
  await until("all is posted", async () => {
    const posts = (await world.conversation(subjectOf(root, place)))?.status?.posts ?? [];
    const media = posts.find(({ kind }) => kind === "Media");
    return media?.progress === "Sent" || media?.progress === "GivenUp";
  });
}

/** Faults of the first calls of a method. */
function failing(method: string, ...faults: (SlackFault | undefined)[]): void {
  world.slack.fault = (called) => (called === method ? faults.shift() : undefined);
}

describe("files of an answer", () => {
  beforeAll(async () => {
    await world.startConnector();
  });

  it("come together after the text, into its thread, once", async () => {
    const files = [picture("one"), picture("two", 300)];
    const answer = await answered(files);
    await told(answer);
    expect(saying(answer.root, answer.place, "Here it is.")).toHaveLength(1);
    const [shared, ...more] = sharedIn(answer);
    expect(more).toEqual([]);
    expect(shared?.comment).toBe("");
    expect(shared?.files.map(({ title, name }) => [title, name])).toEqual(files.map(({ name }) => [name, name]));
    expect(shared?.files.map(({ content }, at) => content.equals(files[at]!.content))).toEqual([true, true]);
  });

  it.each([
    [1, "1 file that the agent attached is left out."],
    [3, "3 files that the agent attached are left out."],
  ])("say with a link how many others there were: %d", async (leftOut, want) => {
    const answer = await answered([picture("one")], { leftOut });
    await told(answer);
    expect(sharedIn(answer)[0]?.comment).toMatch(
      new RegExp(
        `^${want} <https://runwright.example.com/sessions/${world.namespace}[.][a-z0-9-]+\\|Open the session>$`,
      ),
    );
  });

  it("are told of where none of them can be sent", async () => {
    const answer = await answered([], { leftOut: 6 });
    await told(answer);
    expect(sharedIn(answer)).toEqual([]);
    expect(saying(answer.root, answer.place, "6 files that the agent attached are left out.")).toHaveLength(1);
  });

  it("go without the one that Slack refuses, which is counted", async () => {
    failing("files.upload", undefined, "refuse");
    const answer = await answered([picture("a"), picture("b"), picture("c")]);
    await told(answer);
    const [shared] = sharedIn(answer);
    expect(shared?.files.map(({ title }) => title)).toEqual(["a.png", "c.png"]);
    expect(shared?.comment).toContain("1 file that the agent attached is left out.");
  });

  it.each([
    ["is gone", (path: string) => rm(path)],
    ["is another one", (path: string) => writeFile(path, picture("other").content)],
  ])("go without one that %s in the blob store", async (_, spoil) => {
    const [kept, spoilt] = [picture("kept"), picture("spoilt")];
    let spoiling: Promise<void> | undefined;
    const place = `C0M${(places += 1)}`;
    const { event, root } = mention(world, "show me", { channel: place });
    await handled(world, integration, { ...event, channel: place });
    const { sessions, prompts } = await world.work(subjectOf(root, place));
    const name = createHash("sha256").update(spoilt.content).digest("hex");
    const path = [gateway.world.blobDirectory, sessions[0]!.metadata.uid!, "media", prompts[0]!.metadata.uid!];
    world.slack.before = (method) => {
      if (method !== "files.getUploadURLExternal") return undefined;
      return (spoiling ??= spoil(join(...path, `${name}.png`)));
    };
    const answer = await answerTo(root, place, [kept, spoilt]);
    await told(answer);
    expect(sharedIn(answer)[0]?.files.map(({ title }) => title)).toEqual(["kept.png"]);
    expect(sharedIn(answer)[0]?.comment).toContain("1 file that");
  });

  it("are told of where the app lacks the scope, and the text comes all the same", async () => {
    world.slack.scopes.delete("files:write");
    const answer = await answered([picture("one"), picture("two")]);
    await told(answer);
    expect(saying(answer.root, answer.place, "Here it is.")).toHaveLength(1);
    expect(saying(answer.root, answer.place, "2 files that the agent attached are left out.")).toHaveLength(1);
  });

  it("are sent to no host but Slack's, by no redirect", async () => {
    world.slack.media.uploadHost = "http://slack.com.evil.example";
    const answer = await answered([picture("one")]);
    await told(answer);
    expect(saying(answer.root, answer.place, "1 file that")).toHaveLength(1);
    world.slack.media.uploadHost = undefined;
    failing("files.upload", "redirect");
    const next = await answered([picture("two")]);
    await told(next);
    expect(saying(next.root, next.place, "1 file that")).toHaveLength(1);
    expect([...sharedIn(answer), ...sharedIn(next)]).toEqual([]);
  });

  it("are told of where Slack refuses to show them", async () => {
    failing("files.completeUploadExternal", "refuse");
    const answer = await answered([picture("one")], { leftOut: 1 });
    await told(answer);
    expect(sharedIn(answer)).toEqual([]);
    expect(saying(answer.root, answer.place, "2 files that")).toHaveLength(1);
  });
});

describe("when a call fails", () => {
  it.each([
    ["files.getUploadURLExternal", "throttle"],
    ["files.getUploadURLExternal", "drop"],
    ["files.getUploadURLExternal", "lose"],
    ["files.upload", "error"],
    ["files.upload", "drop"],
    ["files.completeUploadExternal", "throttle"],
  ] as const)("%s (%s), the files are sent by the next try, once", async (method, fault) => {
    failing(method, fault);
    const answer = await answered([picture("one")]);
    await told(answer);
    expect(sharedIn(answer)).toHaveLength(1);
    expect(saying(answer.root, answer.place, "may be missing")).toEqual([]);
  });

  it.each([
    ["lose", 1],
    ["drop", 0],
  ] as const)("the last one (%s), they are not sent again, and a message says so", async (fault, shown) => {
    failing("files.completeUploadExternal", fault);
    const answer = await answered([picture("one"), picture("two")]);
    await told(answer);
    expect(sharedIn(answer)).toHaveLength(shown);
    expect(saying(answer.root, answer.place, "The 2 files of this answer may be missing")).toHaveLength(1);
    expect(world.slack.calls.filter((method) => method === "files.completeUploadExternal").length).toBeGreaterThan(0);
  });
});

it("a connector that is killed after any step shows the files once, or says that they may be missing", async () => {
  await Promise.all(world.connectors.map((connector) => connector.close()));
  const act = async (): Promise<object> => {
    const answer = await answered([picture("one")], { leftOut: 1 });
    await told(answer);
    const [shown, uncertain] = [sharedIn(answer).length, saying(answer.root, answer.place, "may be missing").length];
    return {
      answers: saying(answer.root, answer.place, "Here it is.").length,
      isShownAtMostOnce: shown <= 1 && uncertain <= 1,
      isTold: shown + uncertain > 0,
    };
  };
  const want = { answers: 1, isShownAtMostOnce: true, isTold: true };
  const watch = (connector: Connector, onStep: () => void): void => watchSteps(world, connector, onStep);
  (await killAfterEachStep(world, { watch, act, want, least: 12 })).kill();
});

import { describe, expect, it } from "vitest";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import { ImageError } from "../gateway/image-client.ts";
import type { Command, Ended, OutputHandler, RunningCommand } from "../local/agent-channel.ts";
import type { WorkContext } from "../work-context.ts";
import { CostMeter } from "./cost-meter.ts";
import { ExecConversation } from "./exec-conversation.ts";

const success: Ended = { code: 0, signal: null };
const png: PromptImage = { digest: `sha256:${"a".repeat(64)}`, mediaType: "image/png", fileName: "shot.png" };
const gif: PromptImage = { digest: `sha256:${"b".repeat(64)}`, mediaType: "image/gif" };
const folder = "/w/.runwright/images";
const pathOfPng = `${folder}/${"a".repeat(64)}.png`;

interface Given {
  read?: (image: PromptImage, signal: AbortSignal) => Promise<Buffer>;
  /** How a file was written. */
  written?: Ended;
  /** How the agent's command ends; left out: once it is killed. */
  end?: Ended;
  /** What it writes before. */
  says?: readonly [stream: "stdout" | "stderr", text: string][];
}

/** What is done in the agent's container, in order. */
function aConversation({ read = ({ mediaType }) => Promise.resolve(Buffer.from(mediaType)), ...given }: Given = {}) {
  const done: string[] = [];
  const run = ({ command, input }: Command, output: OutputHandler): RunningCommand => {
    if (command[0] === "agent") for (const one of given.says ?? []) output(...one);
    done.push([...command, ...(input === undefined ? [] : [`< ${input}`])].join(" "));
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const end = command[0] === "agent" ? given.end : success;
    if (end) resolve(end);
    return { ended: promise, write: () => Promise.resolve(), kill: () => resolve({ code: null, signal: "SIGTERM" }) };
  };
  const writeFile = (path: string, content: Buffer): Promise<Ended> => {
    done.push(`write ${path}: ${content.toString()}`);
    return Promise.resolve(given.written ?? success);
  };
  const context = {
    agent: { run, writeFile, introduction: { workspace: "/w" } },
    images: { read },
    bundle: { repositories: [], agent: { command: ["agent"], protocol: "exec" } },
    costs: new CostMeter({ changed: () => undefined, refused: () => undefined }),
    environment: {},
    secrets: [],
  } as unknown as WorkContext;
  const conversation = new ExecConversation(context);
  const turn = (text: string, images: readonly PromptImage[]) =>
    conversation.turn({ uid: "p", text, images }, { take: () => undefined });
  return { turn, done };
}

describe("how a prompt ends", () => {
  const failed = JSON.stringify({ type: "result", subtype: "success", is_error: true, result: "Invalid API key" });
  const fine = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "Fixed." });
  const trouble = '{"type":"thread.started"}\n{"type":"error","message":"stream disconnected"}';
  const exit = (code: number): Ended => ({ code, signal: null });
  it.each([
    { name: "well", says: "text", end: exit(0), want: { verdict: "succeeded", summary: "text" } },
    { name: "well by its own result", says: fine, end: exit(0), want: { verdict: "succeeded", summary: "Fixed." } },
    {
      name: "with an error inside",
      says: failed,
      end: exit(0),
      want: {
        verdict: "failed",
        summary: "Invalid API key",
        message: "the agent ended with an error: Invalid API key",
      },
    },
    {
      name: "with trouble before a bad status",
      says: trouble,
      end: exit(1),
      want: { verdict: "failed", message: "the agent exited with status 1: stream disconnected" },
    },
    { name: "well after trouble", says: trouble, end: exit(0), want: { verdict: "succeeded" } },
    {
      name: "with an error inside and outside",
      says: failed,
      end: exit(1),
      want: {
        verdict: "failed",
        summary: "Invalid API key",
        message: "the agent exited with status 1: Invalid API key",
      },
    },
    {
      name: "with an exit status that its own result does not explain",
      says: fine,
      end: exit(1),
      want: { verdict: "failed", summary: "Fixed.", message: "the agent exited with status 1: out of space" },
    },
    {
      name: "well without a summary",
      says: '{"type":"result"}',
      end: exit(0),
      want: { verdict: "succeeded", message: "the agent finished; its result line has no text for a summary" },
    },
    { name: "well without a word", says: "", end: exit(0), want: { verdict: "succeeded" } },
    {
      name: "badly with words on both outputs",
      says: "Invalid API key",
      end: exit(1),
      want: { verdict: "failed", summary: "Invalid API key", message: "the agent exited with status 1: out of space" },
    },
    {
      name: "badly with words on standard output alone",
      says: "Working.\nCredit balance is too low\r\n",
      errors: "\n",
      end: exit(1),
      want: {
        verdict: "failed",
        summary: "Working.\nCredit balance is too low",
        message: "the agent exited with status 1: Credit balance is too low",
      },
    },
    {
      name: "badly without a word",
      says: "",
      errors: "",
      end: exit(1),
      want: { verdict: "failed", message: "the agent exited with status 1" },
    },
  ])("$name", async ({ says, errors = "a warning\nout of space\n", end, want }) => {
    const { turn } = aConversation({
      end,
      says: [
        ["stdout", says],
        ["stderr", errors],
      ],
    });
    expect(await turn("Go.", []).ended).toEqual(want);
  });
});

describe("a prompt with images", () => {
  it("gives the agent their files, of which the prompt before leaves none, and tells their paths", async () => {
    const { turn, done } = aConversation({ end: success });
    expect(await turn("Look.", [png, gif]).ended).toMatchObject({ verdict: "succeeded" });
    const pathOfGif = `${folder}/${"b".repeat(64)}.gif`;
    expect(done).toEqual([
      `rm -rf -- ${folder}`,
      `write ${pathOfPng}: image/png`,
      `write ${pathOfGif}: image/gif`,
      `agent < Look.\n\nImages of this prompt:\n- ${pathOfPng} ("shot.png")\n- ${pathOfGif}`,
    ]);
  });

  it("may have no text", async () => {
    const { turn, done } = aConversation({ end: success });
    await turn(" ", [gif]).ended;
    expect(done.at(-1)).toMatch(/^agent < Images of this prompt:/);
  });

  it.each([
    {
      name: "one cannot be had",
      given: { read: () => Promise.reject(new ImageError("the session has no image")) },
      message: "the session has no image",
    },
    {
      name: "something fails that nobody expects",
      given: { read: () => Promise.reject(new TypeError("what people wrote")) },
      message: "the agent could not be run: TypeError",
    },
    {
      name: "one cannot be written",
      given: { written: { code: null, signal: null, error: "ENOSPC" } },
      message: `image "shot.png" (${png.digest}) could not be written to ${pathOfPng}: ENOSPC`,
    },
    {
      name: "the agent's container is gone",
      given: { written: { code: null, signal: null, lost: true as const } },
      message: `image "shot.png" (${png.digest}) could not be written to ${pathOfPng}: the agent's container is gone`,
    },
  ])("fails and starts no agent where $name", async ({ given, message }) => {
    const { turn, done } = aConversation(given);
    expect(await turn("Look.", [png]).ended).toEqual({ verdict: "failed", message });
    expect(done.filter((one) => one.startsWith("agent"))).toEqual([]);
  });

  it("that is cancelled while they are fetched ends at once, and starts no agent", async () => {
    const { turn, done } = aConversation({
      read: (_image, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    });
    const asked = turn("Look.", [png]);
    asked.cancel();
    expect(await asked.ended).toMatchObject({ verdict: "failed" });
    expect(done).toEqual([`rm -rf -- ${folder}`]);
  });

  it("that is cancelled while the agent works ends its command", async () => {
    const { turn, done } = aConversation();
    const asked = turn("Look.", [png]);
    await expect.poll(() => done.at(-1)).toMatch(/^agent/);
    asked.cancel();
    expect(await asked.ended).toMatchObject({ verdict: "failed" });
  });
});

it("a prompt without images leaves the files of the one before, and is given byte for byte", async () => {
  const { turn, done } = aConversation({ end: success });
  await turn(" x\n", []).ended;
  expect(done).toEqual(["agent <  x\n"]);
});

import { describe, expect, it } from "vitest";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import { ImageError } from "../gateway/image-client.ts";
import type { Command, Ended, RunningCommand } from "../local/agent-channel.ts";
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
}

/** What is done in the agent's container, in order. */
function aConversation({ read = ({ mediaType }) => Promise.resolve(Buffer.from(mediaType)), ...given }: Given = {}) {
  const done: string[] = [];
  const run = ({ command, input }: Command): RunningCommand => {
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

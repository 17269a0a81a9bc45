import { beforeEach, expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import type { Command, Ended, OutputHandler } from "../local/agent-channel.ts";
import type { WorkContext } from "../work-context.ts";
import type { BootMode } from "./environment.ts";
import { runHook } from "./hooks.ts";

let said: { stream: "stdout" | "stderr"; text: string }[];
let ended: Ended;
let commands: Command[];

beforeEach(() => {
  said = [];
  ended = { code: 1, signal: null };
  commands = [];
});

function run(mode: BootMode = "fresh"): Promise<string | undefined> {
  const context = {
    agent: {
      introduction: { workspace: "/w" },
      run: (command: Command, output: OutputHandler) => {
        commands.push(command);
        for (const { stream, text } of said) output(stream, text);
        return { ended: Promise.resolve(ended) };
      },
    },
    clock: new FakeClock(),
    log: { info: () => undefined },
    publish: () => undefined,
    secrets: ["planted-secret"],
    environment: { A: "1" },
    mode,
  } as unknown as WorkContext;
  return runHook(context, "setup", { name: "app", url: "https://h/app", branch: "main" });
}

it.each<BootMode>(["fresh", "build", "snapshot_restore"])(
  "explains a failure by standard error, in mode %s",
  async (mode) => {
    said = [
      { stream: "stdout", text: "installing\n" },
      { stream: "stderr", text: "bash: line 3: nmp: " },
      { stream: "stderr", text: "command not found\nwith planted-secret\n" },
    ];
    expect(await run(mode)).toBe(
      "setup.sh of repository app exited with status 1: bash: line 3: nmp: command not found; with ***",
    );
  },
);

it.each([
  { name: "nothing", text: "", want: "" },
  { name: "blank lines", text: "\n \r\n", want: "" },
  { name: "standard output alone", text: "installing\nno planted-secret", want: ": installing; no ***" },
])("says what it knows of a hook that said $name", async ({ text, want }) => {
  said = [{ stream: "stdout", text }];
  expect(await run()).toBe(`setup.sh of repository app exited with status 1${want}`);
});

it("leaves background processes only where no image is saved", async () => {
  ended = { code: 0, signal: null };
  said = [{ stream: "stderr", text: "a warning\n" }];
  expect([await run("fresh"), await run("build")]).toEqual([undefined, undefined]);
  expect(commands.map(({ keepsChildren, cwd }) => [keepsChildren, cwd])).toEqual([
    [true, "/w/app"],
    [false, "/w/app"],
  ]);
});

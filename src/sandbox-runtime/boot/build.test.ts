import { expect, it } from "vitest";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { WorkContext } from "../work-context.ts";
import { buildImage } from "./build.ts";

const commit = "a".repeat(40);
const repositories = [{ name: "web", url: "https://git.example.com/web.git", branch: "main" }];

/** What a build of `web` publishes, whose branch is at these commits, or cannot be looked at; its clone fails for good. */
async function published(heads: string | undefined, unless?: { repository: string; commit: string }[]) {
  const events: SandboxEvent[] = [];
  const run = ({ command }: { command: string[] }, output: (stream: string, text: string) => void) => {
    const isLook = command.includes("ls-remote");
    if (isLook && heads !== undefined) output("stdout", `${heads}\trefs/heads/main\n`);
    if (!isLook) output("stderr", "fatal: repository not found\n");
    return { ended: Promise.resolve({ code: isLook && heads !== undefined ? 0 : 128, signal: null }) };
  };
  const introduction = { workspace: "/workspace", home: "/home/agent" };
  const context = {
    agent: { run, write: () => undefined, introduction, isClosed: false },
    bundle: { repositories, environment: {}, build: { timeoutSeconds: 60, unless } },
    clock: new FakeClock(),
    log: { info: () => undefined },
    publish: (event: SandboxEvent) => void events.push(event),
    secrets: [],
    socketDirectory: "/run/runwright",
  };
  const { note, failure } = await buildImage(context as unknown as WorkContext, 0);
  return { note, failure, progress: events.filter(({ kind }) => kind === "bootProgress") };
}

it("says which commits it goes on with, as its container may end without another word", async () => {
  const commits = [{ repository: "web", commit }];
  const { failure, progress } = await published(commit);
  expect(progress).toEqual([{ kind: "bootProgress", phase: "clone", commits }]);
  expect(failure?.commits).toEqual(commits);
});

it("says none where it could not look at the branches", async () => {
  const { failure, progress } = await published(undefined);
  expect(progress).toEqual([{ kind: "bootProgress", phase: "clone" }]);
  expect(failure?.commits).toEqual([]);
});

it.each([
  { what: "can be looked at", heads: commit, result: undefined },
  { what: "cannot be looked at", heads: undefined, result: "Unchanged" },
])("a check that compares with no commit builds only where the branches $what", async ({ heads, result }) => {
  const { note, progress } = await published(heads, []);
  expect(note?.result).toBe(result);
  expect(progress).toHaveLength(result === undefined ? 1 : 0);
});

import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { PromptOutcome, PromptReference } from "../../api/runtime/messages.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { systemRandom } from "../../lib/random.ts";
import type { Command, Ended, RunningCommand } from "../local/agent-channel.ts";
import type { OfferedFile } from "../local/incoming-file.ts";
import type { Conversation, TurnEnd } from "../conversation/conversation.ts";
import { CostMeter } from "../conversation/cost-meter.ts";
import { ExecConversation } from "../conversation/exec-conversation.ts";
import { PromptQueue } from "./prompt-queue.ts";
import type { WorkContext } from "../work-context.ts";

interface Run {
  input: string | undefined;
  end: (ended: Ended) => void;
  kills: number;
}

/** An agent's container in which commands run until the test ends them. */
function aContext(): { context: WorkContext; runs: Run[] } {
  const runs: Run[] = [];
  const run = (command: Command): RunningCommand => {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const started = { input: command.input, end: resolve, kills: 0 };
    runs.push(started);
    return {
      ended: promise,
      write: () => Promise.resolve(),
      kill() {
        started.kills += 1;
        resolve({ code: null, signal: "SIGTERM" });
      },
    };
  };
  const introduction = {
    type: "agent" as const,
    workspace: "/w",
    home: "/h",
    program: ["/x"],
    credentialHelper: "",
    systemCaFile: "",
  };
  const context: WorkContext = {
    agent: { run, introduction, isClosed: false, write: () => undefined, writeFile: () => Promise.resolve(success) },
    clock: new FakeClock(),
    random: systemRandom,
    log: { info: () => undefined, warn: () => undefined },
    publish: () => undefined,
    secrets: [],
    socketDirectory: "/s",
    mode: "fresh",
    tunnels: { wait: () => Promise.resolve(true) },
    pushWatch: { take: () => [] },
    media: { put: () => Promise.reject(new Error("not asked for")) },
    images: { read: () => Promise.reject(new Error("not asked for")) },
    costs: new CostMeter({ changed: () => undefined, refused: () => undefined }),
    skills: { read: () => Promise.reject(new Error("not asked for")) },
    skillsDirectory: "/k",
    environment: {},
    bundle: {
      version: 1,
      session: { namespace: "t", name: "s", uid: "u", attempt: 1 },
      repositories: [],
      environment: {},
      agent: { command: ["agent"], protocol: "exec" },
    },
  };
  return { context, runs };
}

function aQueue(): { queue: PromptQueue; outcomes: PromptOutcome[] } {
  const outcomes: PromptOutcome[] = [];
  return { queue: new PromptQueue((outcome) => outcomes.push(outcome)), outcomes };
}

const prompt = (uid: string): PromptReference => ({ name: `p-${uid}`, uid });
const success: Ended = { code: 0, signal: null };
const verdicts = (outcomes: PromptOutcome[]): string[] =>
  outcomes.map(({ prompt: { uid }, verdict }) => `${uid} ${verdict}`);

it("runs prompts one after the other once boot has ended, each once however often it comes", async () => {
  const { queue, outcomes } = aQueue();
  const { context, runs } = aContext();
  queue.add(prompt("a"), { text: "first", images: [] });
  queue.add(prompt("b"), { text: "second", images: [] });
  queue.add(prompt("a"), { text: "first", images: [] });
  expect(runs).toEqual([]);
  expect(queue.isReady).toBe(false);
  queue.booted(context, new ExecConversation(context));
  queue.add(prompt("a"), { text: "first", images: [] });
  await setImmediate();
  expect(queue.isReady).toBe(true);
  expect(runs.map(({ input }) => input)).toEqual(["first"]);
  expect(queue.open).toEqual([prompt("a"), prompt("b")]);
  runs[0]!.end(success);
  await setImmediate();
  expect(runs.map(({ input }) => input)).toEqual(["first", "second"]);
  runs[1]!.end({ code: 2, signal: null });
  await setImmediate();
  expect(verdicts(outcomes)).toEqual(["a succeeded", "b failed"]);
  expect(queue.open).toEqual([]);
  expect(runs).toHaveLength(2);
});

it("says again how a prompt ended when it is sent again, and does not run it again", async () => {
  const { queue, outcomes } = aQueue();
  const { context, runs } = aContext();
  queue.booted(context, new ExecConversation(context));
  queue.add(prompt("a"), { text: "x", images: [] });
  await setImmediate();
  runs[0]!.end(success);
  await setImmediate();
  queue.add(prompt("a"), { text: "x", images: [] });
  await setImmediate();
  expect(verdicts(outcomes)).toEqual(["a succeeded", "a succeeded"]);
  expect(runs).toHaveLength(1);
});

describe("pushes that were refused", () => {
  const push = (worktree: string, succeeded = false) => ({ worktree, args: [], succeeded });

  /** How a prompt ended whose agent pushed so. */
  async function endedWith(pushed: ReturnType<typeof push>[], agentEnd = success): Promise<PromptOutcome> {
    const { queue, outcomes } = aQueue();
    const { context, runs } = aContext();
    const takes = [[push("/w/before")], pushed];
    const repository = { name: "shop", url: "https://h/a/shop", branch: "main" };
    const changed: WorkContext = {
      ...context,
      bundle: { ...context.bundle, repositories: [repository] },
      pushWatch: { take: () => takes.shift() ?? [] },
    };
    const agentRuns = (): Run[] => runs.filter(({ input }) => input !== undefined);
    queue.booted(changed, new ExecConversation(changed));
    queue.add(prompt("a"), { text: "x", images: [] });
    for (let turn = 0; outcomes.length === 0 && turn < 100; turn += 1) {
      await setImmediate();
      // Of git the tests of git tell.
      for (const run of runs) run.end(run === agentRuns()[0] ? agentEnd : success);
    }
    return outcomes[0]!;
  }

  it.each([
    { name: "none", pushed: [], want: undefined },
    { name: "one that was taken", pushed: [push("/w/shop", true)], want: undefined },
    {
      name: "one that was refused",
      pushed: [push("/w/shop")],
      want: /^the agent finished; its last git push in repository shop was refused: the server takes it in a dry run/,
    },
    { name: "one elsewhere", pushed: [push("/w/fix")], want: /its last git push in \/w\/fix was refused/ },
  ])("are said: $name", async ({ pushed, want }) => {
    const { verdict, message } = await endedWith(pushed);
    expect(verdict).toBe("succeeded");
    if (want) expect(message).toMatch(want);
    else expect(message).toBeUndefined();
  });

  it("are said beside a failure of the agent's", async () => {
    const { verdict, message } = await endedWith([push("/w/shop")], { code: 2, signal: null });
    expect(verdict).toBe("failed");
    expect(message).toMatch(/^the agent exited with status 2; its last git push in repository shop was refused/);
  });

  it("are said in 1,024 characters, of three working trees at most", async () => {
    const { message = "" } = await endedWith(["a", "b", "c", "d"].map((name) => push(`/w/${name.repeat(200)}`)));
    expect(message).toHaveLength(1_024);
    expect(message).toContain("c".repeat(200));
    expect(message).not.toContain("d".repeat(200));
  });
});

it("cancels what waits at once, what runs by ending it, and nothing else", async () => {
  const { queue, outcomes } = aQueue();
  const { context, runs } = aContext();
  queue.booted(context, new ExecConversation(context));
  for (const uid of ["a", "b", "c"]) queue.add(prompt(uid), { text: uid, images: [] });
  await setImmediate();
  queue.cancel("b");
  expect(verdicts(outcomes)).toEqual(["b cancelled"]);
  queue.cancel("a");
  queue.cancel("unknown");
  queue.cancel("b");
  await setImmediate();
  expect(verdicts(outcomes)).toEqual(["b cancelled", "a cancelled"]);
  expect(runs.map(({ input, kills }) => `${String(input)} ${String(kills)}`)).toEqual(["a 1", "c 0"]);
});

it("fails all prompts of a boot that failed, those that wait and those that come", () => {
  const { queue, outcomes } = aQueue();
  queue.add(prompt("a"), { text: "x", images: [] });
  queue.bootFailed("no clone");
  queue.add(prompt("b"), { text: "x", images: [] });
  expect(verdicts(outcomes)).toEqual(["a failed", "b failed"]);
  expect(outcomes[0]!.message).toBe("boot failed: no clone");
  expect(queue.isReady).toBe(false);
});

describe("a pull request that the agent asks for", () => {
  const text = { title: "Fix it", body: "All of it." };
  let rest: Promise<void>;
  beforeEach(() => void (rest = Promise.resolve()));

  /** A conversation whose turns end as the test says. */
  function aConversation(): { conversation: Conversation; end: (turn: number, ended: TurnEnd) => void } {
    const turns: ((ended: TurnEnd) => void)[] = [];
    const conversation: Conversation = {
      open: () => Promise.resolve(undefined),
      rest: () => rest,
      turn() {
        const { promise, resolve } = Promise.withResolvers<TurnEnd>();
        turns.push(resolve);
        return { ended: promise, cancel: () => resolve({ verdict: "failed" }) };
      },
    };
    return { conversation, end: (turn, ended) => turns[turn]?.(ended) };
  }

  function begun() {
    const { queue, outcomes } = aQueue();
    const { conversation, end } = aConversation();
    queue.booted(aContext().context, conversation);
    queue.add(prompt("a"), { text: "first", images: [] });
    queue.add(prompt("b"), { text: "second", images: [] });
    return { queue, outcomes, end };
  }

  it("comes with the outcome of the prompt that runs, the last one of it, and with no later one", async () => {
    const { queue, outcomes, end } = begun();
    await setImmediate();
    expect(queue.wantPullRequest({ ...text, title: "Another" }).status).toBe(202);
    expect(queue.wantPullRequest({ ...text, title: "Fix\u202e\nit" }).status).toBe(202);
    end(0, { verdict: "succeeded", branch: "fix" });
    await setImmediate();
    end(1, { verdict: "succeeded", branch: "fix" });
    await setImmediate();
    expect(outcomes.map(({ pullRequest }) => pullRequest)).toEqual([text, undefined]);
  });

  it("is refused while the next prompt waits for the last words of the one before", async () => {
    const { queue, outcomes, end } = begun();
    await setImmediate();
    const resting = Promise.withResolvers<undefined>();
    rest = resting.promise;
    end(0, { verdict: "succeeded", branch: "fix" });
    await setImmediate();
    expect(queue.wantPullRequest(text)).toMatchObject({ status: 409, body: { code: "NoPrompt" } });
    expect(await queue.attach({} as OfferedFile, () => Promise.reject(new Error("not asked for")))).toMatchObject({
      status: 409,
    });
    resting.resolve(undefined);
    await setImmediate();
    expect(queue.wantPullRequest(text).status).toBe(202);
    end(1, { verdict: "succeeded", branch: "fix" });
    await setImmediate();
    expect(outcomes.map(({ pullRequest }) => pullRequest)).toEqual([undefined, text]);
  });

  it("is none of a prompt without a branch, or one that was cancelled", async () => {
    const { queue, outcomes, end } = begun();
    await setImmediate();
    queue.wantPullRequest(text);
    end(0, { verdict: "succeeded" });
    await setImmediate();
    queue.wantPullRequest(text);
    queue.cancel("b");
    await setImmediate();
    expect(verdicts(outcomes)).toEqual(["a succeeded", "b cancelled"]);
    expect(outcomes.map(({ pullRequest }) => pullRequest)).toEqual([undefined, undefined]);
  });

  it("is refused without a title, which leaves the one before, and where no prompt runs", async () => {
    const { queue, outcomes, end } = begun();
    await setImmediate();
    queue.wantPullRequest(text);
    expect(queue.wantPullRequest({ title: " \u202e", body: "" })).toMatchObject({ status: 400 });
    end(0, { verdict: "failed", branch: "fix" });
    await setImmediate();
    expect(outcomes[0]?.pullRequest).toEqual(text);
    end(1, { verdict: "succeeded" });
    await setImmediate();
    expect(queue.wantPullRequest(text)).toMatchObject({ status: 409, body: { code: "NoPrompt" } });
  });
});

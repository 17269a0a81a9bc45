import { agent, type AgentApp, type AgentContext, RequestError } from "@agentclientprotocol/sdk";
import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { SandboxEvent } from "../../../api/runtime/messages.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { systemRandom } from "../../../lib/random.ts";
import { ImageError, type ImageSource } from "../../gateway/image-client.ts";
import type { WorkContext } from "../../work-context.ts";
import type { TurnEnd } from "../conversation.ts";
import { CostMeter } from "../cost-meter.ts";
import { AcpConversation, cancelMs } from "./acp-conversation.ts";
import { longestMessageBytes } from "./agent-process.ts";
import { FakeContainer } from "./fake-agent.ts";
import { silenceLimits } from "./silence.ts";

/** What the agent of a test does at a prompt. */
type Behaviour = (text: string, client: AgentContext, sessionId: string) => Promise<object> | object;

let clock: FakeClock;
let container: FakeContainer;
let events: SandboxEvent[];
let heard: string[];
let behaviour: Behaviour;
let initialized: object | RequestError;
let source: ImageSource;
let asked: unknown;
let loaded: unknown[];
let onLoad: (client: AgentContext, sessionId: string) => Promise<void>;
let cancelled: PromiseWithResolvers<void>;
let costs: CostMeter;
let refusals: number;

beforeEach(() => {
  clock = new FakeClock();
  refusals = 0;
  costs = new CostMeter({ changed: () => undefined, refused: () => (refusals += 1) });
  events = [];
  heard = [];
  loaded = [];
  onLoad = () => Promise.resolve();
  cancelled = Promise.withResolvers();
  behaviour = () => ({ stopReason: "end_turn" });
  initialized = { protocolVersion: 1, agentCapabilities: {} };
  source = { read: () => Promise.reject(new Error("not asked for")) };
  container = new FakeContainer(anAgent);
});

let sessions = 0;

function anAgent(): AgentApp {
  return agent()
    .onRequest("initialize", () => answer(initialized) as { protocolVersion: number })
    .onRequest("session/new", () => ({ sessionId: `session ${(sessions += 1)}` }))
    .onRequest("session/load", async ({ params, client }) => {
      loaded.push(params);
      await onLoad(client, params.sessionId);
    })
    .onNotification("session/cancel", () => cancelled.resolve())
    .onRequest("session/prompt", async ({ params, client }) => {
      asked = params.prompt;
      const [block] = params.prompt;
      const text = block?.type === "text" ? block.text : "";
      return (await behaviour(text, client, params.sessionId)) as { stopReason: "end_turn" };
    });
}

function answer(value: object | RequestError): object {
  if (value instanceof RequestError) throw value;
  return value;
}

function aConversation(permissionRequests?: "Allow" | "Reject", changes: Partial<WorkContext> = {}): AcpConversation {
  const context: WorkContext = {
    agent: container,
    clock,
    random: systemRandom,
    log: { info: () => undefined, warn: () => undefined },
    publish: (event) => events.push(event),
    secrets: [],
    socketDirectory: "/s",
    mode: "fresh",
    tunnels: { wait: () => Promise.resolve(true) },
    pushWatch: { take: () => [] },
    images: source,
    media: { put: () => Promise.reject(new Error("not asked for")) },
    costs,
    skills: { read: () => Promise.reject(new Error("not asked for")) },
    skillsDirectory: "/k",
    environment: { PLANTED: "1" },
    bundle: {
      version: 1,
      session: { namespace: "t", name: "s", uid: "u", attempt: 1 },
      repositories: [],
      environment: {},
      agent: { command: ["my-agent", "acp"], protocol: "acp", ...(permissionRequests ? { permissionRequests } : {}) },
    },
  };
  return new AcpConversation({ ...context, ...changes });
}

async function opened(permissionRequests?: "Allow" | "Reject"): Promise<AcpConversation> {
  const conversation = aConversation(permissionRequests);
  expect(await conversation.open()).toBeUndefined();
  return conversation;
}

const output = { take: (stream: string, text: string): void => void heard.push(`${stream}: ${text}`) };
const ask = (conversation: AcpConversation, text = "fix it"): Promise<TurnEnd> =>
  passing(conversation.turn({ uid: "p", text, images: [] }, output).ended);

/** Lets time pass as it is waited for, until something has come. */
async function passing<T>(awaited: Promise<T>): Promise<T> {
  const over = new AbortController();
  void awaited.finally(() => over.abort());
  while (!over.signal.aborted) {
    await setImmediate();
    clock.advanceToTimer(0);
  }
  return awaited;
}

const say = (client: AgentContext, sessionId: string, text: string): Promise<void> =>
  client.notify("session/update", {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });

it("asks the agent and gives what it said", async () => {
  const conversation = await opened();
  behaviour = async (text, client, sessionId) => {
    await say(client, sessionId, `Größe 𝄞: ${text}`);
    return { stopReason: "end_turn", usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } };
  };
  expect(await ask(conversation)).toEqual({
    verdict: "succeeded",
    summary: "Größe 𝄞: fix it",
    usage: { inputTokens: 3, outputTokens: 2 },
  });
  expect(heard).toEqual(["stdout: Größe 𝄞: fix it"]);
  expect(container.starts.map(({ command }) => command)).toMatchObject([
    { command: ["my-agent", "acp"], cwd: "/w", env: { PLANTED: "1" } },
  ]);
});

describe("what the agent says after its answer", () => {
  const { enough, longestTurn, apart } = silenceLimits;
  let late: (text: string) => Promise<void>;
  const shown = (): unknown[] =>
    events.flatMap((event) => (event.kind === "output" ? [`${event.promptUid ?? ""}: ${event.text}`] : []));
  const turnOf = (conversation: AcpConversation, uid: string): Promise<TurnEnd> =>
    conversation.turn({ uid, text: uid, images: [] }, output).ended;
  /** Until the agent has read what was written to it, and we what it wrote. */
  const arrived = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };

  beforeEach(() => {
    behaviour = async (text, client, sessionId) => {
      late = (more) => say(client, sessionId, more);
      await say(client, sessionId, `Begin ${text}.`);
      return { stopReason: "end_turn" };
    };
  });

  it("is of its summary, until it is silent", async () => {
    const conversation = await opened();
    const ended = turnOf(conversation, "1");
    await arrived();
    clock.advance(150);
    await late(" VERDICT-1");
    await arrived();
    clock.advance(enough - 1);
    await late("!");
    expect((await passing(ended)).summary).toBe("Begin 1. VERDICT-1!");
    expect(shown()).toEqual([]);
  });

  it("is of its turn's events when it comes later, and of no other turn", async () => {
    const conversation = await opened();
    expect((await passing(turnOf(conversation, "1"))).summary).toBe("Begin 1.");
    const resting = conversation.rest(new AbortController().signal);
    clock.advance(2_000 - enough);
    await late("VERDICT-1");
    await passing(resting);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(apart);
    expect((await passing(turnOf(conversation, "2"))).summary).toBe("Begin 2.");
    expect(shown()).toEqual(["1: VERDICT-1"]);
    expect(heard).toEqual(["stdout: Begin 1.", "stdout: Begin 2."]);
  });

  it("of a tool call is of the turn in which it began, however late it ends", async () => {
    const conversation = await opened();
    const use = (client: AgentContext, sessionId: string, update: object): Promise<void> =>
      client.notify("session/update", { sessionId, update: { toolCallId: "t", ...update } as never });
    behaviour = async (text, client, sessionId) => {
      await say(client, sessionId, `Begin ${text}`);
      await use(
        client,
        sessionId,
        text === "1"
          ? { sessionUpdate: "tool_call", title: "sleep", status: "in_progress" }
          : { sessionUpdate: "tool_call_update", status: "completed" },
      );
      await say(client, sessionId, ".");
      return { stopReason: "end_turn" };
    };
    await passing(turnOf(conversation, "1"));
    expect((await passing(turnOf(conversation, "2"))).summary).toBe("Begin 2.");
    expect(events.filter(({ kind }) => kind === "tool")).toEqual([
      { kind: "tool", promptUid: "1", tool: "t", title: "sleep", state: "in_progress" },
      { kind: "tool", promptUid: "1", tool: "t", title: "sleep", state: "completed" },
    ]);
  });

  it("does not keep a turn of an agent that is never silent", async () => {
    const conversation = await opened();
    const ended = turnOf(conversation, "1");
    const over = new AbortController();
    void ended.then(() => over.abort());
    await arrived();
    const beganMs = clock.monotonicMs();
    while (!over.signal.aborted && clock.monotonicMs() - beganMs < 2 * longestTurn) {
      await late(".");
      await arrived();
      clock.advance(enough / 2);
      await arrived();
    }
    expect(clock.monotonicMs() - beganMs).toBe(longestTurn);
  });

  it("is not waited for from an agent that has ended", async () => {
    const conversation = await opened();
    await passing(turnOf(conversation, "1"));
    container.starts.at(-1)?.end({ code: 3, signal: null });
    await arrived();
    const beganMs = clock.monotonicMs();
    await passing(conversation.rest(new AbortController().signal));
    expect(clock.monotonicMs()).toBe(beganMs);
  });
});

it("has one agent and one conversation for all prompts", async () => {
  const conversation = await opened();
  const seen: string[] = [];
  behaviour = (_text, _client, sessionId) => {
    seen.push(sessionId);
    return { stopReason: "end_turn" };
  };
  await ask(conversation);
  await ask(conversation);
  expect(seen).toEqual([seen[0], seen[0]]);
  expect(container.starts).toHaveLength(1);
});

describe("the cost of a conversation", () => {
  const cost = (client: AgentContext, sessionId: string, amount: unknown, currency = "USD"): Promise<void> =>
    client.notify<object>("session/update", {
      sessionId,
      update: { sessionUpdate: "usage_update", used: 1, size: 9, cost: { amount, currency } },
    });
  /** A turn by whose end the agent says that the conversation has come to this. */
  const turnTo = async (conversation: AcpConversation, amount: unknown, currency?: string): Promise<number> => {
    behaviour = async (_text, client, sessionId) => {
      await cost(client, sessionId, amount, currency);
      return { stopReason: "end_turn" };
    };
    await ask(conversation);
    return costs.reading.costUsd;
  };
  /** The agent then ends its turn, or itself. */
  const cancelledTurnTo = async (conversation: AcpConversation, amount: number, crashes = false): Promise<number> => {
    behaviour = async (_text, client, sessionId) => {
      await cancelled.promise;
      await cost(client, sessionId, amount);
      if (crashes) container.starts.at(-1)?.end({ code: 7, signal: null });
      return { stopReason: "cancelled" };
    };
    const turn = conversation.turn({ uid: "p", text: "x", images: [] }, output);
    turn.cancel();
    await turn.ended;
    return costs.reading.costUsd;
  };

  it("is metered while a turn goes on, and however it ends", async () => {
    const conversation = await opened();
    const metered: number[] = [];
    behaviour = async (_text, client, sessionId) => {
      for (const amount of [0.25, 0.5]) {
        await cost(client, sessionId, amount);
        await say(client, sessionId, "x");
        while (heard.length <= metered.length) await setImmediate();
        metered.push(costs.reading.costUsd);
      }
      return { stopReason: "end_turn" };
    };
    await ask(conversation);
    expect(metered).toEqual([0.25, 0.5]);
    expect(await cancelledTurnTo(conversation, 0.75)).toBe(0.75);
    expect(await cancelledTurnTo(conversation, 1, true)).toBe(1);
  });

  it("is metered when it is reported after its turn", async () => {
    const conversation = await opened();
    let report: () => Promise<void> = () => Promise.resolve();
    behaviour = (_text, client, sessionId) => {
      report = () => cost(client, sessionId, 0.5);
      return { stopReason: "end_turn" };
    };
    await ask(conversation);
    await report();
    await expect.poll(() => costs.reading.costUsd).toBe(0.5);
    const file = container.files.get("/h/.runwright/conversation.json") ?? "";
    expect(JSON.parse(file)).toMatchObject({ costUsd: 0.5 });
  });

  it("begins at 0 in each conversation", async () => {
    const conversation = await opened();
    expect(await cancelledTurnTo(conversation, 1, true)).toBe(1);
    expect(await turnTo(conversation, 0.25)).toBe(1.25);
  });

  it.each([
    { name: "that is negative", amount: -1, want: 1 },
    { name: "that is text", amount: "0.5", want: 1 },
    { name: "that is absurd", amount: 1e12, want: 1 },
    { name: "in another currency", amount: 0.5, currency: "EUR", want: 0 },
    { name: "that is one", amount: 0.5, metered: 0.5, want: 0 },
  ])("with an amount $name is refused $want times", async ({ amount, currency, metered = 0, want }) => {
    expect(await turnTo(await opened(), amount, currency)).toBe(metered);
    expect(refusals).toBe(want);
  });
});

it.each([
  { policy: undefined, want: "yes" },
  { policy: "Allow", want: "yes" },
  { policy: "Reject", want: "no" },
] as const)("answers permission requests with $want where the policy is $policy", async ({ policy, want }) => {
  const conversation = await opened(policy);
  let answered: unknown;
  behaviour = async (_text, client, sessionId) => {
    answered = await client.request("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "t" },
      options: [
        { optionId: "no", name: "No", kind: "reject_once" },
        { optionId: "yes", name: "Yes", kind: "allow_once" },
      ],
    });
    return { stopReason: "end_turn" };
  };
  expect((await ask(conversation)).verdict).toBe("succeeded");
  expect(answered).toEqual({ outcome: { outcome: "selected", optionId: want } });
});

describe("what the agent asks for and nobody answers", () => {
  const call = (client: AgentContext, method: string, params: object): Promise<unknown> =>
    client.request<unknown, object>(method, params).catch((error: unknown) => (error as RequestError).code);

  it.each([
    {
      name: "a question",
      method: "elicitation/create",
      params: { mode: "form", message: "Which planted-secret?", requestedSchema: {} },
      got: { action: "cancel" },
      said: 'an answer to "Which ***?"',
    },
    {
      name: "a question of tomorrow's form",
      method: "elicitation/create",
      params: { message: 7 },
      got: { action: "cancel" },
      said: 'an answer to ""',
    },
    {
      name: "a permission without a fitting option",
      method: "session/request_permission",
      params: { toolCall: { title: "git push" }, options: [{ optionId: "x", kind: "ask_later" }] },
      got: { outcome: { outcome: "cancelled" } },
      said: 'a permission for "git push"',
    },
    {
      name: "a method that we do not have",
      method: "fs/read_text_file",
      params: {},
      got: -32_601,
      said: "the method fs/read_text_file",
    },
    { name: "an extension", method: "_vendor/ask", params: {}, got: -32_601, said: "the method _vendor/ask" },
  ])("as $name, is refused at once, and the result says so", async ({ method, params, got, said }) => {
    const conversation = aConversation(undefined, { secrets: ["planted-secret"] });
    await conversation.open();
    let answered: unknown;
    behaviour = async (_text, client, sessionId) => {
      answered = await call(client, method, { sessionId, ...params });
      return { stopReason: "end_turn" };
    };
    const { verdict, message } = await ask(conversation);
    expect(answered).toEqual(got);
    expect(verdict).toBe("succeeded");
    expect(message).toContain(`it asked for ${said}, and nobody`);
  });

  it("is of its turn alone", async () => {
    const conversation = await opened();
    behaviour = async (text, client, sessionId) => {
      if (text === "1") await call(client, "elicitation/create", { sessionId, message: "?" });
      return { stopReason: "end_turn" };
    };
    expect((await ask(conversation, "1")).message).toBeDefined();
    expect((await ask(conversation, "2")).message).toBeUndefined();
  });

  it("is refused also as an update that wants an answer", async () => {
    const conversation = await opened();
    behaviour = async (_text, _client, sessionId) => {
      const [start] = container.starts;
      start?.print(
        `${JSON.stringify({ jsonrpc: "2.0", id: "ours", method: "session/update", params: { sessionId } })}\n`,
      );
      await expect.poll(() => start?.answers).toContain("ours");
      return { stopReason: "end_turn" };
    };
    expect((await ask(conversation)).verdict).toBe("succeeded");
  });
});

it("does not hear what is said of another conversation", async () => {
  const conversation = await opened();
  behaviour = async (_text, client) => {
    await say(client, "another", "lies");
    return { stopReason: "end_turn" };
  };
  expect(await ask(conversation)).toEqual({ verdict: "succeeded" });
  expect(heard).toEqual([]);
});

it("leaves aside what is not of the protocol, and says none of it", async () => {
  const conversation = await opened();
  behaviour = (_text, _client, sessionId) => {
    const [start] = container.starts;
    start?.print("plain text\n[]\n7\n");
    start?.print(`${JSON.stringify({ jsonrpc: "2.0", id: "planted", result: {} })}\n`);
    start?.print(`${JSON.stringify({ jsonrpc: "2.0", method: "of/tomorrow", params: { sessionId } })}\n`);
    start?.print(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update: 7 } })}\n`);
    return { stopReason: "end_turn" };
  };
  expect(await ask(conversation)).toEqual({ verdict: "succeeded" });
  expect(heard).toEqual([]);
});

describe("an agent that does not start", () => {
  it.each([
    { name: "speaks another version", initialized: { protocolVersion: 2 }, want: /speaks version 2/ },
    { name: "refuses", initialized: new RequestError(-32_000, "planted"), want: /logged in \(planted\)/ },
    { name: "has an error", initialized: new RequestError(-32_603, "broken"), want: /the agent said: broken/ },
    { name: "says nothing of its version", initialized: {}, want: /not of its protocol/ },
  ])("is a problem when it $name", async ({ initialized: said, want }) => {
    initialized = said;
    expect(await aConversation().open()).toMatch(want);
  });

  it("is a problem when it ends before it answers", async () => {
    container = new FakeContainer(() =>
      agent().onRequest("initialize", () => {
        container.starts[0]?.end({ code: 3, signal: null });
        return new Promise<never>(() => undefined);
      }),
    );
    expect(await aConversation().open()).toBe("the agent exited with status 3");
  });
});

describe("an agent that ends", () => {
  const crash: Behaviour = () => {
    container.starts.at(-1)?.end({ code: null, signal: "SIGKILL" });
    return new Promise<never>(() => undefined);
  };

  it("fails the prompt with the last line of its standard error, without secrets", async () => {
    const conversation = aConversation(undefined, { secrets: ["planted-secret"] });
    await conversation.open();
    behaviour = () => {
      container.starts.at(-1)?.complain("a warning\nno key planted-secret\n");
      container.starts.at(-1)?.end({ code: 3, signal: null });
      return new Promise<never>(() => undefined);
    };
    expect((await ask(conversation)).message).toBe("the agent exited with status 3: no key ***");
  });

  it("fails the prompt, and is started for the next one with a new conversation", async () => {
    const conversation = await opened();
    behaviour = crash;
    expect(await ask(conversation)).toEqual({
      verdict: "failed",
      message: "the agent was ended by SIGKILL, perhaps because it ran out of memory",
    });
    behaviour = (_text, _client, sessionId) => ({ stopReason: sessionId === `session ${sessions}` ? "end_turn" : "" });
    expect((await ask(conversation)).verdict).toBe("succeeded");
    expect(container.starts).toHaveLength(2);
    expect(loaded).toEqual([]);
  });

  it("loads its conversation where it can, and what that repeats is not said again", async () => {
    initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    const conversation = await opened();
    behaviour = crash;
    await ask(conversation);
    const known = `session ${sessions}`;
    behaviour = (_text, _client, sessionId) => ({ stopReason: sessionId === known ? "end_turn" : "" });
    expect((await ask(conversation)).verdict).toBe("succeeded");
    const mcpServers = [{ name: "runwright", command: "/x", args: ["children"], env: [] }];
    expect(loaded).toEqual([{ sessionId: known, cwd: "/w", mcpServers }]);
  });

  it("fails each prompt for which it does not start again", async () => {
    const conversation = await opened();
    behaviour = crash;
    await ask(conversation);
    initialized = new RequestError(-32_603, "broken");
    expect(await ask(conversation)).toEqual({ verdict: "failed", message: "the agent said: broken" });
    initialized = { protocolVersion: 1 };
    behaviour = () => ({ stopReason: "end_turn" });
    expect((await ask(conversation)).verdict).toBe("succeeded");
  });

  it("is ended when a message of it is longer than may be kept", async () => {
    const conversation = await opened();
    behaviour = () => {
      container.starts[0]?.print("x".repeat(longestMessageBytes + 1));
      return new Promise<never>(() => undefined);
    };
    const { verdict, message } = await ask(conversation);
    expect({ verdict, message }).toEqual({
      verdict: "failed",
      message: "the agent wrote a message of more than 8388608 bytes",
    });
    expect(container.starts[0]?.kills).toBe(1);
  });
});

describe("a restored sandbox", () => {
  const file = "/h/.runwright/conversation.json";
  const earlierTurns = "planted turns";
  const seen: { text: string; sessionId: string }[] = [];

  beforeEach(() => {
    seen.length = 0;
    initialized = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    behaviour = (text, _client, sessionId) => {
      seen.push({ text, sessionId });
      return { stopReason: "end_turn" };
    };
  });

  async function restored(): Promise<AcpConversation> {
    const conversation = aConversation(undefined, {
      mode: "snapshot_restore",
      bundle: {
        version: 1,
        session: { namespace: "t", name: "s", uid: "u", attempt: 2 },
        repositories: [],
        environment: {},
        agent: { command: ["my-agent"], protocol: "acp" },
        earlierTurns,
      },
    });
    expect(await passing(conversation.open())).toBeUndefined();
    return conversation;
  }

  it("goes on with the conversation that was saved, and takes nothing that is repeated for new", async () => {
    await ask(await opened(), "one");
    const known = `session ${sessions}`;
    onLoad = (client, sessionId) => say(client, sessionId, "an old answer");
    heard = [];
    const { summary } = await ask(await restored(), "two");
    expect(seen).toEqual([
      { text: "one", sessionId: known },
      { text: "two", sessionId: known },
    ]);
    expect(loaded).toMatchObject([{ sessionId: known }]);
    expect({ summary, heard }).toEqual({ summary: undefined, heard: [] });
  });

  it("takes nothing for new that is repeated after the agent has said that it is loaded", async () => {
    await ask(await opened(), "one");
    onLoad = (client, sessionId) => {
      void setImmediate().then(() => say(client, sessionId, "an old answer"));
      return Promise.resolve();
    };
    heard = [];
    const { summary } = await ask(await restored(), "two");
    expect({ summary, heard }).toEqual({ summary: undefined, heard: [] });
  });

  it("meters of the conversation's cost what no sandbox before it did", async () => {
    const cost =
      (amount: number): Behaviour =>
      async (_text, client, sessionId) => {
        const update = { sessionUpdate: "usage_update", used: 1, size: 9, cost: { amount, currency: "USD" } } as const;
        await client.notify("session/update", { sessionId, update });
        return { stopReason: "end_turn" };
      };
    behaviour = cost(0.5);
    await ask(await opened());
    costs = new CostMeter({ changed: () => undefined, refused: () => undefined });
    behaviour = cost(0.75);
    await ask(await restored());
    expect(costs.reading.costUsd).toBe(0.25);
  });

  it.each([
    {
      name: "does not know the conversation any more",
      fail: () => Promise.reject(new RequestError(-32_002, "unknown")),
    },
    {
      name: "ends while it loads",
      fail: () => {
        container.starts.at(-1)?.end({ code: 1, signal: null });
        return new Promise<never>(() => undefined);
      },
    },
  ])("gives the earlier turns once to an agent that $name", async ({ fail }) => {
    container.files.set(file, JSON.stringify({ sessionId: "lost", costUsd: 0 }));
    onLoad = fail;
    const conversation = await restored();
    await ask(conversation, "one");
    await ask(conversation, "two");
    expect(seen.map(({ text }) => text)).toEqual([`${earlierTurns}\n\none`, "two"]);
    expect(loaded).toMatchObject([{ sessionId: "lost" }]);
    expect(JSON.parse(container.files.get(file) ?? "")).toEqual({ sessionId: `session ${sessions}`, costUsd: 0 });
  });

  it("gives them to an agent that cannot load", async () => {
    container.files.set(file, JSON.stringify({ sessionId: "lost", costUsd: 0 }));
    initialized = { protocolVersion: 1, agentCapabilities: {} };
    await ask(await restored(), "one");
    expect(seen.map(({ text }) => text)).toEqual([`${earlierTurns}\n\none`]);
    expect(loaded).toEqual([]);
  });

  it.each(["", "{", "[]", '{"sessionId":"","costUsd":0}', '{"sessionId":"a","costUsd":-1}', '{"sessionId":"a"}'])(
    "begins a new conversation where the file says %j",
    async (text) => {
      container.files.set(file, text);
      await ask(await restored(), "one");
      expect(seen.map(({ text }) => text)).toEqual([`${earlierTurns}\n\none`]);
      expect(loaded).toEqual([]);
    },
  );
});

describe("a prompt with images", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const images = [
    { digest, mediaType: "image/png" as const, fileName: "a.jpg" },
    { digest, mediaType: "image/gif" as const },
  ];
  const askWith = (conversation: AcpConversation, text: string): Promise<TurnEnd> =>
    passing(conversation.turn({ uid: "p", text, images }, output).ended);

  beforeEach(() => {
    initialized = { protocolVersion: 1, agentCapabilities: { promptCapabilities: { image: true } } };
    source = { read: ({ mediaType }) => Promise.resolve(Buffer.from(`bytes of ${mediaType}`)) };
  });

  const blocks = [
    { type: "image", mimeType: "image/png", data: Buffer.from("bytes of image/png").toString("base64") },
    { type: "image", mimeType: "image/gif", data: Buffer.from("bytes of image/gif").toString("base64") },
  ];

  it.each([
    { name: "behind its text", text: "look", want: [{ type: "text", text: "look" }, ...blocks] },
    { name: "without a text", text: " \n", want: blocks },
  ])("shows them to the agent $name", async ({ text, want }) => {
    expect((await askWith(await opened(), text)).verdict).toBe("succeeded");
    expect(asked).toEqual(want);
  });

  it("fails where the agent does not say that it takes any, and the agent is asked nothing", async () => {
    initialized = { protocolVersion: 1, agentCapabilities: {} };
    asked = undefined;
    const { verdict, message } = await askWith(await opened(), "look");
    expect({ verdict, asked }).toEqual({ verdict: "failed", asked: undefined });
    expect(message).toMatch(/^the prompt has images, and the agent takes none/);
  });

  it("fails with the reason of an image that cannot be fetched, and the next prompt goes on", async () => {
    source = { read: () => Promise.reject(new ImageError("image x is not there")) };
    const conversation = await opened();
    expect(await askWith(conversation, "look")).toEqual({ verdict: "failed", message: "image x is not there" });
    expect((await ask(conversation)).verdict).toBe("succeeded");
  });

  it("is cancelled while they are fetched", async () => {
    source = {
      read: (_image, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    };
    const conversation = await opened();
    const turn = conversation.turn({ uid: "p", text: "look", images }, output);
    turn.cancel();
    expect((await turn.ended).verdict).toBe("failed");
    expect(container.starts[0]?.kills).toBe(0);
  });
});

describe("a cancelled turn", () => {
  it("tells the agent, which ends it and lives on", async () => {
    const conversation = await opened();
    behaviour = async () => {
      await cancelled.promise;
      return { stopReason: "cancelled" };
    };
    const turn = conversation.turn({ uid: "p", text: "x", images: [] }, output);
    turn.cancel();
    await turn.ended;
    clock.advance(cancelMs);
    behaviour = () => ({ stopReason: "end_turn" });
    expect((await ask(conversation)).verdict).toBe("succeeded");
    expect(container.starts.map(({ kills }) => kills)).toEqual([0]);
  });

  it("ends an agent that does not listen, after 10 s and not before", async () => {
    const conversation = await opened();
    behaviour = () => new Promise<never>(() => undefined);
    const turn = conversation.turn({ uid: "p", text: "x", images: [] }, output);
    turn.cancel();
    await cancelled.promise;
    clock.advance(cancelMs - 1);
    expect(container.starts[0]?.kills).toBe(0);
    clock.advance(1);
    expect(container.starts[0]?.kills).toBeGreaterThan(0);
    await turn.ended;
  });

  it("gives no permission any more", async () => {
    const conversation = await opened();
    let answered: unknown;
    behaviour = async (_text, client, sessionId) => {
      await cancelled.promise;
      const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" } as const];
      answered = await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t" },
        options,
      });
      return { stopReason: "cancelled" };
    };
    const turn = conversation.turn({ uid: "p", text: "x", images: [] }, output);
    turn.cancel();
    await turn.ended;
    expect(answered).toEqual({ outcome: { outcome: "cancelled" } });
  });
});

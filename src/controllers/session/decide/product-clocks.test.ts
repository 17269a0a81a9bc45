import { expect, it } from "vitest";

import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import { settingsOf } from "../../../domain/settings/effective.ts";
import { decided, type GivenFacts } from "../fake-steps.ts";

/** The product's clocks (section 8 of its facts) for Sessions of Runs, which keep nothing, and for those of people. */

const epochMs = Date.UTC(2026, 4, 4, 10);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const limits = { bootTimeoutMs: 30 * minute, executionTimeoutMs: 2 * hour };
const time = (ms: number): string => new Date(epochMs + ms).toISOString();

const starting: Sandbox = {
  attempt: 1,
  podName: "fix-x-1",
  podUID: "u1",
  createTime: time(0),
  containerStartTime: time(5 * second),
  forPromptUID: "p1",
};
const booting: Sandbox = { ...starting, connectTime: time(10 * second) };
const readyAt = 20 * second;
const ready: Sandbox = { ...booting, readyTime: time(readyAt) };

interface Given {
  idleSeconds: number;
  sandbox: Sandbox;
  lifetimeMs?: number;
  executionTimeoutMs?: number;
  bufferMs?: number;
  /** When the prompt began; without it there is no prompt. */
  promptAt?: number;
  /** The prompt waits. */
  isWaiting?: boolean;
}

const run: Given = { idleSeconds: 0, sandbox: ready, promptAt: readyAt };
const person: Given = { idleSeconds: 86_400, sandbox: ready, promptAt: readyAt };
/** With `sandboxTimeoutMs` of a Repository, Environment or Session. */
const ofScope = (given: Given, sandboxTimeoutMs: number): Given => ({
  ...given,
  lifetimeMs: sandboxTimeoutMs,
  executionTimeoutMs: sandboxTimeoutMs,
});
const ofClass = (given: Given, lifetimeMs: number): Given => ({ ...given, lifetimeMs });
const later = (given: Given, promptAt: number): Given => ({
  ...given,
  promptAt,
  sandbox: { ...given.sandbox, forPromptUID: "p0" },
});
const without = ({ promptAt: _, ...given }: Given): Given => given;
const waiting = (given: Given, sandbox: Sandbox): Given => ({ ...given, sandbox, isWaiting: true });
const savingSince = (given: Given, at: number): Given => ({
  ...without(given),
  sandbox: { ...given.sandbox, snapshotTime: time(at) },
});

function factsOf(given: Given): GivenFacts {
  const { idleSeconds, sandbox, lifetimeMs, executionTimeoutMs = limits.executionTimeoutMs, promptAt } = given;
  const { bufferMs: finalSnapshotBufferMs = 10 * minute } = given;
  const hasPrompt = promptAt !== undefined;
  const currentPrompt = hasPrompt &&
    given.isWaiting !== true && {
      name: "fix-1",
      uid: "p1",
      startTime: time(promptAt),
      deadline: time(promptAt + executionTimeoutMs),
    };
  const status: SessionStatus = {
    sandbox,
    lifetimeMs,
    executionTimeoutMs,
    settings: { ...settingsOf({}), finalSnapshotBufferMs },
    ...(hasPrompt ? { queue: ["p1"] } : { idleSince: sandbox.readyTime }),
    ...(currentPrompt ? { currentPrompt } : {}),
  };
  return {
    session: aSession({
      metadata: { namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" },
      spec: { idleTimeoutSeconds: idleSeconds },
      status,
    }),
    prompts: hasPrompt ? [aPrompt({ metadata: { namespace: "team", uid: "p1", resourceVersion: "101" } })] : [],
    pods: [{ name: "fix-x-1", uid: "u1", resourceVersion: "7", attempt: 1, isStarted: true, isTerminating: false }],
    secrets: [],
    children: [],
    lease: sandbox.connectTime === undefined ? undefined : { isReady: sandbox.readyTime !== undefined },
    isSilent: false,
  };
}

/** What a look at this instant brings. */
function broughtAt(given: Given, atMs: number): { ends?: string; saves?: true; prompt?: string } {
  const facts = factsOf(given);
  const { effects } = decided(facts, new Date(epochMs + atMs), limits);
  const writes = effects.flatMap((effect) => (effect.kind === "writeStatus" ? [effect.status.sandbox] : []));
  const ends = writes.find((sandbox) => sandbox?.endTime !== undefined)?.endReason;
  const saves = !given.sandbox.snapshotTime && writes.some((sandbox) => sandbox?.snapshotTime !== undefined);
  const [settled] = effects.flatMap((effect) => (effect.kind === "settlePrompt" ? [effect.status.conditions] : []));
  const prompt = settled?.find(({ type }) => type === "Succeeded")?.reason;
  return { ...(ends ? { ends } : {}), ...(saves ? { saves } : {}), ...(prompt ? { prompt } : {}) };
}

const connectTimeout = { ends: "ConnectTimeout" };
const bootTimeout = { ends: "BootTimeout" };
const cutByTime = { ends: "ExecutionTimeout", prompt: "ExecutionTimeout" };
const cutByLifetime = { ends: "SandboxLifetimeEnded", prompt: "SandboxLifetimeEnded" };
const savedByTime = { saves: true as const, prompt: "ExecutionTimeout" };
const savedByLifetime = { saves: true as const, prompt: "SandboxLifetimeEnded" };

it.each<[string, Given, number, ReturnType<typeof broughtAt>]>([
  ["connect watchdog of a Run", waiting(run, starting), 4 * minute + 5 * second, connectTimeout],
  ["connect watchdog of a person's session", waiting(person, starting), 4 * minute + 5 * second, connectTimeout],
  ["boot budget of a Run", waiting(run, booting), 30 * minute, bootTimeout],
  ["boot budget of a person's session", waiting(person, booting), 30 * minute, bootTimeout],

  ["execution timeout without a setting, of a Run", run, readyAt + 2 * hour, cutByTime],
  ["execution timeout without a setting, something to save", person, readyAt + 2 * hour, savedByTime],
  ["45 min of a scope, of a Run", ofScope(run, 45 * minute), readyAt + 45 * minute, cutByTime],
  ["45 min of a scope, something to save", ofScope(person, 45 * minute), readyAt + 45 * minute, savedByTime],
  ["9 min of a scope, of a Run", ofScope(run, 9 * minute), readyAt + 9 * minute, cutByTime],
  ["10 min of a scope, of a Run", ofScope(run, 10 * minute), readyAt + 10 * minute, cutByTime],
  ["11 min of a scope, of a Run", ofScope(run, 11 * minute), readyAt + 11 * minute, cutByTime],
  ["15 min of a scope, of a Run", ofScope(run, 15 * minute), readyAt + 15 * minute, cutByTime],
  ["10 min of a scope, something to save", ofScope(person, 10 * minute), readyAt + 10 * minute, savedByTime],
  ["11 min of a scope, something to save", ofScope(person, 11 * minute), readyAt + 11 * minute, savedByTime],

  ["45 min of a class, of a Run", ofClass(run, 45 * minute), 45 * minute, cutByLifetime],
  ["45 min of a class, something to save", ofClass(person, 45 * minute), 35 * minute, savedByLifetime],
  ["10 min of a class, no time to save", ofClass(person, 10 * minute), 10 * minute, cutByLifetime],
  ["2 h of a class, of a Run", ofClass(run, 2 * hour), readyAt + 2 * hour, cutByTime],

  ["lifetime, a Run's later prompt", later(ofScope(run, 45 * minute), minute), 45 * minute, cutByLifetime],
  ["lifetime, a later prompt", later(ofScope(person, 45 * minute), minute), 35 * minute, savedByLifetime],
  ["lifetime, a later prompt, no time to save", later(ofScope(person, 600_000), minute), 10 * minute, cutByLifetime],
  ["lifetime without a prompt", ofScope(without(person), 45 * minute), 35 * minute, { saves: true }],
  ["the shortest buffer", { ...ofScope(without(person), 2_700_000), bufferMs: 300_000 }, 40 * minute, { saves: true }],
  [
    "lifetime without a prompt, no time to save",
    ofScope(without(person), 10 * minute),
    10 * minute,
    { ends: "SandboxLifetimeEnded" },
  ],
  [
    "saving at the end of the lifetime",
    savingSince(ofScope(person, 45 * minute), 35 * minute),
    45 * minute,
    { ends: "SandboxLifetimeEnded" },
  ],
  [
    "saving that began after the lifetime, as a first prompt may make it",
    savingSince(ofScope(person, 45 * minute), 46 * minute),
    56 * minute,
    { ends: "SandboxLifetimeEnded" },
  ],

  ["idle, of a Run", without(run), readyAt, { ends: "Stopped" }],
  ["idle, something to save", { ...without(person), idleSeconds: 600 }, readyAt + 10 * minute, { saves: true }],
])("%s: nothing the millisecond before, then at the instant and after it", (_, given, atMs, want) => {
  const brought = [-1, 0, 1].map((ms) => broughtAt(given, atMs + ms));
  expect(brought[0]).toEqual({});
  expect(brought.slice(1)).toMatchObject([want, want]);
  // An end without saving is one, and a saving ends nothing yet.
  for (const one of brought.slice(1)) expect([one.ends, one.saves]).toEqual([want.ends, want.saves]);
});

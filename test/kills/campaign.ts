import { setTimeout as delay } from "node:timers/promises";

import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import { Prompt, Session } from "../../src/api/v1alpha1/index.ts";
import { sumOfAmounts } from "../../src/domain/costs/amount.ts";
import { isSettled, succeededOf } from "../../src/domain/prompts/prompt-state.ts";
import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { until } from "../support/kube.ts";
import { Killer } from "./killer.ts";
import { Moments } from "./moments.ts";
import { oneOf, type Random, randomOf, wholeNumber } from "./random.ts";
import { openStage, type Stage } from "./stage.ts";
import { type Remains, violationsOf } from "./violations.ts";
import type { Programs } from "../support/programs.ts";

export interface CampaignOptions {
  plane: ControlPlane;
  programs: Programs;
  seed: number;
  kills: number;
  /** Sessions at once. */
  lanes: number;
  /** Whether some sessions rest, so that their workspaces are saved and restored, which takes half a minute; by default so. */
  keepsWorkspaces?: boolean;
  /** Called after kills with their number so far. */
  killed?: (count: number) => void;
  /** Nothing more is killed then; what came of the kills so far is looked at all the same. */
  stop?: AbortSignal;
}

/** What a campaign came to. */
export interface Outcome {
  kills: { gateways: number; controllers: number; runtimes: number };
  /** Kills while the workspace of a session was being saved or restored. */
  killsDuring: { save: number; restore: number };
  sessions: number;
  prompts: number;
  /** Prompts by their verdict's reason. */
  verdicts: Record<string, number>;
  acknowledged: { results: number; events: number };
  workspaces: { saved: number; restored: number };
  /** What runtimes said and the gateway acknowledged, and what Sessions have in their statuses. */
  costs: { acknowledgedUsd: string; saidUsd: string; countedUsd: string };
  violations: string[];
}

/** How long what is accepted may take to end when nothing is killed any more; a session that failed to start three times waits 5 minutes. */
const restMs = 900_000;
/** How long what was acknowledged may take to be seen in the status of a Session. */
const settleMs = 30_000;

/** Kills while sessions work, waits until everything has come to rest, and holds what is there against what was seen. */
export async function campaign(options: CampaignOptions): Promise<Outcome> {
  const { plane, programs, seed, kills, lanes, keepsWorkspaces = true, killed, stop } = options;
  const moments = new Moments();
  const stage = await openStage(plane, programs, moments);
  try {
    const over = new AbortController();
    const working = Array.from({ length: lanes }, (_, lane) =>
      work(stage, { lane, keepsWorkspaces, random: randomOf(seed + 1 + lane), over: over.signal }),
    );
    const killer = new Killer(stage, moments, randomOf(seed));
    const isStopped = (): boolean => stop?.aborted === true;
    const killing = async (): Promise<void> => {
      for (let count = 0; count < kills && !isStopped();) {
        count += await killer.kill(kills - count);
        killed?.(count);
      }
    };
    await killing().finally(() => over.abort());
    await Promise.all(working);
    return await outcomeOf(stage);
  } finally {
    await stage.close();
  }
}

interface Lane {
  lane: number;
  keepsWorkspaces: boolean;
  random: Random;
  over: AbortSignal;
}

/** One session after the other, each with a few prompts that come while others wait or are processed. */
async function work(stage: Stage, { lane, keepsWorkspaces, random, over }: Lane): Promise<void> {
  const isOver = (): boolean => over.aborted;
  for (let turn = 1; !isOver(); turn += 1) {
    const isKept = keepsWorkspaces && (lane + turn) % 4 !== 0;
    const session = await createSession(stage, `lane-${lane}-${turn}`, isKept);
    await askSome(stage, session, random);
    if (isKept) await restAndGoOn(stage, session, random);
  }
}

/** Prompts of a session that keeps its workspace, each after a time in which its sandbox may be saved and end. */
async function restAndGoOn(stage: Stage, session: Session, random: Random): Promise<void> {
  for (let left = wholeNumber(random, 3, 7); left > 0; left -= 1) {
    // Within it the sandbox becomes idle, is saved, and ends.
    await delay(wholeNumber(random, 500, 4_000));
    await askSome(stage, session, random);
  }
  await sandboxEnded(stage, session);
  await askSome(stage, session, random);
}

async function askSome(stage: Stage, session: Session, random: Random): Promise<void> {
  for (let left = wholeNumber(random, 1, 3); left > 0; left -= 1) {
    await ask(stage, session, random);
    await delay(wholeNumber(random, 0, 600));
  }
  await allEnded(stage, session);
}

/** One that is kept has a cost limit, which is never reached and makes the gateway note costs more often. */
function createSession({ client, namespace }: Stage, name: string, isKept: boolean): Promise<Session> {
  const spec = {
    target: {},
    sandboxClassName: "standard",
    serviceAccountName: "runner",
    idleTimeoutSeconds: isKept ? 1 : 0,
    ...(isKept ? { settings: { maxSessionCostUsd: "1000000" } } : {}),
  };
  return client.create<Session>(Session, { metadata: { name, namespace }, spec });
}

function sandboxEnded({ sessions }: Stage, { metadata }: Session): Promise<void> {
  const hasEnded = async (): Promise<boolean> => {
    await delay(100);
    const found = sessions.list().find(({ metadata: { uid } }) => uid === metadata.uid);
    return found?.status?.sandbox?.endTime !== undefined;
  };
  return until(`the sandbox of ${metadata.name ?? ""} has ended`, hasEnded, restMs);
}

/** As kubectl does, or as a person at the gateway's API, who may have to ask again. */
async function ask(stage: Stage, { metadata }: Session, random: Random): Promise<void> {
  const { client, namespace, people, ledger } = stage;
  const { name = "", uid: sessionUid = "" } = metadata;
  const number = ledger.nextNumber();
  const text = `Do it. #${number}`;
  if (oneOf(random, ["kubectl", "gateway"]) === "gateway") await people.ask(name, text);
  else
    await client.create(Prompt, {
      metadata: { name: `${name}-${number}`, namespace },
      spec: { sessionRef: { name }, text },
    });
  ledger.accepted.push({ number, sessionUid });
}

function allEnded({ client, namespace }: Stage, { metadata }: Session): Promise<void> {
  const hasEnded = async (): Promise<boolean> => {
    await delay(100);
    const { items } = await client.list<Prompt>(Prompt, { namespace });
    return items.filter(({ spec }) => spec.sessionRef.name === metadata.name).every(isSettled);
  };
  return until(`the prompts of ${metadata.name ?? ""} have ended`, hasEnded, restMs);
}

async function outcomeOf(stage: Stage): Promise<Outcome> {
  const { client, namespace, ledger, operator } = stage;
  await operator.gatewayReady();
  const violations = await lastViolations(stage);
  const [{ items: prompts }, { items: sessions }] = await Promise.all([
    client.list<Prompt>(Prompt, { namespace }),
    client.list<Session>(Session, { namespace }),
  ]);
  const verdicts = Map.groupBy(prompts, (prompt) => succeededOf(prompt)?.reason ?? "none");
  const results = ledger.acknowledged.filter(({ message }) => message.type === "promptFinished").length;
  return {
    kills: {
      ...ledger.killedOperators,
      runtimes: [...ledger.killedRuntimes.values()].reduce((sum, count) => sum + count, 0),
    },
    killsDuring: ledger.saves.kills,
    sessions: sessions.length,
    prompts: ledger.accepted.length,
    verdicts: Object.fromEntries([...verdicts].map(([reason, those]) => [reason, those.length])),
    acknowledged: { results, events: ledger.acknowledged.length - results },
    workspaces: ledger.saves.counts,
    costs: {
      ...ledger.costs.sums,
      countedUsd: sumOfAmounts(sessions.map(({ status }) => status?.costUsd ?? "0")),
    },
    violations,
  };
}

/** What is wrong for as long as things may take to come to rest. */
async function lastViolations(stage: Stage): Promise<string[]> {
  const endMs = performance.now() + settleMs;
  for (;;) {
    const violations = violationsOf(stage.ledger, await remainsOf(stage));
    if (violations.length === 0 || performance.now() > endMs) return violations;
    await delay(1_000);
  }
}

async function remainsOf(stage: Stage): Promise<Remains> {
  const { client, namespace, people } = stage;
  const [{ items: prompts }, { items: sessions }] = await Promise.all([
    client.list<Prompt>(Prompt, { namespace }),
    client.list<Session>(Session, { namespace }),
  ]);
  const events = new Map<string, SessionEvent[]>();
  for (const { metadata } of sessions) events.set(metadata.uid ?? "", await people.events(metadata.name ?? ""));
  return { sessions, prompts, events, work: await stage.work() };
}

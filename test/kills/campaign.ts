import { setTimeout as delay } from "node:timers/promises";

import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import { Prompt, Session } from "../../src/api/v1alpha1/index.ts";
import { isSettled, succeededOf } from "../../src/domain/prompts/prompt-state.ts";
import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { until } from "../support/kube.ts";
import { Killer } from "./killer.ts";
import { Moments } from "./moments.ts";
import { oneOf, type Random, randomOf, wholeNumber } from "./random.ts";
import { openStage, type Stage } from "./stage.ts";
import { type Remains, violationsOf } from "./violations.ts";

export interface CampaignOptions {
  plane: ControlPlane;
  /** Folder of the bundled programs. */
  programs: string;
  seed: number;
  kills: number;
  /** Sessions at once. */
  lanes: number;
  /** Called after kills with their number so far. */
  killed?: (count: number) => void;
  /** Nothing more is killed then; what came of the kills so far is looked at all the same. */
  stop?: AbortSignal;
}

/** What a campaign came to. */
export interface Outcome {
  kills: { gateways: number; runtimes: number };
  sessions: number;
  prompts: number;
  /** Prompts by their verdict's reason. */
  verdicts: Record<string, number>;
  acknowledged: { results: number; events: number };
  violations: string[];
}

/** How long what is accepted may take to end when nothing is killed any more; a session that failed to start three times waits 5 minutes. */
const restMs = 900_000;

/** Kills while sessions work, waits until everything has come to rest, and holds what is there against what was seen. */
export async function campaign(options: CampaignOptions): Promise<Outcome> {
  const { plane, programs, seed, kills, lanes, killed, stop } = options;
  const moments = new Moments();
  const stage = await openStage(plane, programs, moments);
  try {
    const over = new AbortController();
    const working = Array.from({ length: lanes }, (_, lane) =>
      work(stage, { lane, random: randomOf(seed + 1 + lane), over: over.signal }),
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
  random: Random;
  over: AbortSignal;
}

/** One session after the other, each with a few prompts that come while others wait or are processed. */
async function work(stage: Stage, { lane, random, over }: Lane): Promise<void> {
  const isOver = (): boolean => over.aborted;
  for (let turn = 1; !isOver(); turn += 1) {
    const session = await createSession(stage, `lane-${lane}-${turn}`);
    for (let left = wholeNumber(random, 2, 6); left > 0; left -= 1) {
      await ask(stage, session, random);
      await delay(wholeNumber(random, 0, 600));
    }
    await allEnded(stage, session);
  }
}

function createSession({ client, namespace }: Stage, name: string): Promise<Session> {
  const spec = { target: {}, sandboxClassName: "standard", serviceAccountName: "runner", idleTimeoutSeconds: 0 };
  return client.create<Session>(Session, { metadata: { name, namespace }, spec });
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
  const { client, namespace, ledger, operator, people } = stage;
  await operator.gatewayReady();
  const [{ items: prompts }, { items: sessions }] = await Promise.all([
    client.list<Prompt>(Prompt, { namespace }),
    client.list<Session>(Session, { namespace }),
  ]);
  const events = new Map<string, SessionEvent[]>();
  for (const { metadata } of sessions) events.set(metadata.uid ?? "", await people.events(metadata.name ?? ""));
  const remains: Remains = { prompts, events, work: await stage.work() };
  const verdicts = Map.groupBy(prompts, (prompt) => succeededOf(prompt)?.reason ?? "none");
  const results = ledger.acknowledged.filter(({ message }) => message.type === "promptFinished").length;
  return {
    kills: {
      gateways: ledger.killedGateways,
      runtimes: [...ledger.killedRuntimes.values()].reduce((sum, count) => sum + count, 0),
    },
    sessions: sessions.length,
    prompts: ledger.accepted.length,
    verdicts: Object.fromEntries([...verdicts].map(([reason, those]) => [reason, those.length])),
    acknowledged: { results, events: ledger.acknowledged.length - results },
    violations: violationsOf(ledger, remains),
  };
}

import { median, orderOf, rounded } from "../statistics.ts";
import type { AttackName } from "./attack-names.ts";
import { Attacker } from "./attacker-process.ts";
import { compare, type Compared, type Situation } from "./compare.ts";
import { type Experiences, type Neighbour, type Wait, waits } from "./neighbour.ts";
import { forgetPeak, memoryOf, type Taken } from "./memory.ts";
import type { Component } from "./release.ts";
import type { SceneOptions } from "./scene.ts";

export interface Row {
  /** Requests of the attacker, refused ones included. */
  attackPerSecond: number;
  /** Writes and reviews that the API server had of the attack. */
  causedPerSecond: number;
  rawPerSecond: number;
  /** What our processes took beside the attack. */
  memory: Record<Component, Taken>;
  waits: Record<Wait, Compared>;
}

interface Played {
  lived: Experiences;
  /** Requests of the attack, or raw ones. */
  count: number;
  /** What the API server counted meanwhile, everybody's together. */
  writes: number;
}

interface Play {
  attack: AttackName;
  seconds: number;
  rounds: number;
  neighbour: Neighbour;
  scene: SceneOptions;
  pids: Readonly<Record<Component, number>>;
  /** How many writes the API server has counted so far. */
  writes: () => Promise<number>;
}

/** Plays all rounds of one attack. */
export async function playRow(play: Play): Promise<Row> {
  const attacker = new Attacker(play.attack, play.scene);
  try {
    await attacker.ready();
    const usual = await playSituation(play, attacker, { situation: "alone", count: 0 });
    const resting = await takenBy(play.pids);
    await Promise.all(Object.values(play.pids).map(forgetPeak));
    const rounds: Record<Situation, Played>[] = [];
    for (let index = 0; index < play.rounds; index += 1) {
      rounds.push(await playRound(play, attacker, { index, last: rounds.at(-1)?.attack, usual }));
    }
    const memory = mapEach(await takenBy(play.pids), ({ peakMib }, name) => ({
      idleMib: resting[name].nowMib,
      peakMib,
    }));
    return { ...rowOf(rounds, { seconds: play.seconds, usual }), memory };
  } finally {
    await attacker.stop();
  }
}

/** The raw requests are as many as the attack before them caused, its own creates at the least; in the first round the attack comes first. */
async function playRound(
  play: Play,
  attacker: Attacker,
  { index, last, usual }: { index: number; last: Played | undefined; usual: Played },
): Promise<Record<Situation, Played>> {
  const played: Partial<Record<Situation, Played>> = {};
  for (const situation of orderOf<Situation>(["attack", "raw", "alone"], index)) {
    const attack = played.attack ?? last;
    const own = attacker.createsObjects ? (attack?.count ?? 0) : 0;
    const count = attack ? Math.max(own, causedBy(attack, usual)) : 0;
    played[situation] = await playSituation(play, attacker, { situation, count });
  }
  // Every situation had its turn.
  return played as Record<Situation, Played>;
}

/** What the API server counted beyond what the neighbour alone has it count: rather too little, as that one does less beside an attack. */
function causedBy(attack: Played, usual: Played): number {
  return Math.max(0, attack.writes - usual.writes);
}

async function playSituation(
  { seconds, neighbour, writes }: Play,
  attacker: Attacker,
  { situation, count }: { situation: Situation; count: number },
): Promise<Played> {
  const orders = { attack: { do: "attack", seconds }, raw: { do: "raw", seconds, count } } as const;
  const before = await writes();
  const other = situation === "alone" ? Promise.resolve(0) : attacker.order(orders[situation]);
  const [lived, done] = await Promise.all([neighbour.live(seconds), other]);
  const counted = (await writes()) - before;
  if (situation === "attack" && attacker.createsObjects) await attacker.order({ do: "clear" });
  return { lived, count: done, writes: counted };
}

function rowOf(
  rounds: readonly Record<Situation, Played>[],
  { seconds, usual }: { seconds: number; usual: Played },
): Omit<Row, "memory"> {
  const perSecond = (situation: Situation): number =>
    rounded(median(rounds.map((round) => round[situation].count)) / seconds);
  const ofWait = (wait: Wait): Compared =>
    compare(
      rounds.map(({ alone, raw, attack }) => {
        return { alone: alone.lived[wait], raw: raw.lived[wait], attack: attack.lived[wait] };
      }),
    );
  const compared = waits.map((wait) => [wait, ofWait(wait)] as const);
  return {
    attackPerSecond: perSecond("attack"),
    causedPerSecond: rounded(median(rounds.map(({ attack }) => causedBy(attack, usual))) / seconds),
    rawPerSecond: perSecond("raw"),
    waits: Object.fromEntries(compared) as Row["waits"],
  };
}

type OfEach<T> = Record<Component, T>;

async function takenBy(pids: Readonly<OfEach<number>>): Promise<OfEach<{ nowMib: number; peakMib: number }>> {
  const taken = Object.entries(pids).map(async ([name, pid]) => [name, await memoryOf(pid)] as const);
  return Object.fromEntries(await Promise.all(taken)) as OfEach<{ nowMib: number; peakMib: number }>;
}

function mapEach<T, U>(all: OfEach<T>, map: (one: T, name: Component) => U): OfEach<U> {
  const pairs = Object.entries(all).map(([name, one]) => [name, map(one, name as Component)]);
  return Object.fromEntries(pairs) as OfEach<U>;
}

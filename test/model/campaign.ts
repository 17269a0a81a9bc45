import { BrokenInvariant, play } from "./play.ts";
import { sequenceOf } from "./steps.ts";
import type { Sequence } from "./steps.ts";
import type { Commons } from "./world.ts";

export interface CampaignOptions {
  commons: Commons;
  /** Of the first sequence; the others follow it. */
  seed: number;
  sequences: number;
  steps: number;
  /** Sequences that are played beside each other. */
  lanes: number;
  played?: ((count: number) => void) | undefined;
}

/** A sequence that broke an invariant: as it was found, and made as short as it could be. */
export interface Finding {
  seed: number;
  found: BrokenInvariant;
  shortest: { sequence: Sequence; broken: BrokenInvariant };
}

/** Plays the sequences of consecutive seeds; gives what broke, at most one finding a lane. */
export async function campaign(options: CampaignOptions): Promise<Finding[]> {
  const { commons, seed, sequences, steps, lanes, played } = options;
  const findings: Finding[] = [];
  let next = 0;
  let count = 0;
  const lane = async (): Promise<void> => {
    while (next < sequences) {
      const own = seed + next;
      next += 1;
      const sequence = sequenceOf(own, steps);
      const broken = await attempt(commons, sequence);
      if (broken) {
        next = sequences;
        findings.push(await shrunk(commons, own, sequence, broken));
      }
      count += 1;
      played?.(count);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return findings;
}

async function attempt(commons: Commons, sequence: Sequence): Promise<BrokenInvariant | undefined> {
  try {
    await play(commons, sequence);
    return undefined;
  } catch (error) {
    if (error instanceof BrokenInvariant) return error;
    throw error;
  }
}

/** How long making a failure shorter may take, but for the attempt under way. */
const shrinkingMs = 120_000;
/** By then a world is what it will be; a longer wait would be spent on every attempt. */
const attemptLimitMs = 8_000;

/** Leaves out steps, many at first, as long as it still fails. */
async function shrunk(commons: Commons, seed: number, sequence: Sequence, first: BrokenInvariant): Promise<Finding> {
  // What came after the failing step has no part in it.
  let steps = sequence.steps.slice(0, first.steps.length);
  let broken = first;
  const deadline = performance.now() + shrinkingMs;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length && performance.now() < deadline;) {
      const shorter = [...steps.slice(0, at), ...steps.slice(at + size)];
      const result = await attempt({ ...commons, limitMs: attemptLimitMs }, { ...sequence, steps: shorter });
      if (result) [steps, broken] = [shorter, result];
      else at += size;
    }
  }
  return { seed, found: first, shortest: { sequence: { ...sequence, steps }, broken } };
}

/** A finding as people read it, whole, with the command that plays it again. */
export function report({ seed, found, shortest: { sequence, broken } }: Finding): string {
  return [
    `seed ${seed}: ${found.message}`,
    ...numbered(found.steps),
    `shortest: ${broken.message}`,
    ...numbered(broken.steps),
    `shortest sequence: ${JSON.stringify(sequence)}`,
    `again: npm run test:model -- --sequences 1 --seed ${seed}`,
  ].join("\n");
}

function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `  ${index + 1}. ${step}`);
}

import { isDeepStrictEqual } from "node:util";

import type { SessionEvent } from "../../src/api/runtime/session-event.ts";
import type { Prompt } from "../../src/api/v1alpha1/prompt.ts";
import { reasons } from "../../src/api/v1alpha1/reasons.ts";
import type { Session } from "../../src/api/v1alpha1/session.ts";
import { isSettled, succeededOf } from "../../src/domain/prompts/prompt-state.ts";
import { recorded } from "../../src/gateway/events/recorded.ts";
import { type Accepted, type Acknowledged, type Ledger, numberIn } from "./ledger.ts";
import { lostWork } from "./lost-work.ts";

/** What is there when everything has come to rest. */
export interface Remains {
  sessions: readonly Session[];
  prompts: readonly Prompt[];
  /** By session UID. */
  events: ReadonlyMap<string, readonly SessionEvent[]>;
  /** What agents noted for themselves, in order: `begin 17`, `found 17 in workspace: 15 16`, `end 17`. */
  work: readonly string[];
}

/** The words of an agent that has done a prompt. */
export function summaryOf(number: number): string {
  return `did ${number}`;
}

/** The number of the prompt that this one is. */
export function numberOf({ spec }: Pick<Prompt, "spec">): number {
  return numberIn(spec.text);
}

type Seen = Pick<Ledger, "accepted" | "acknowledged" | "attempts" | "killedRuntimes" | "broken" | "costs" | "saves">;

/** Everything in which what is there contradicts what was seen; empty when all was kept. */
export function violationsOf(seen: Seen, remains: Remains): string[] {
  const byNumber = Map.groupBy(remains.prompts, numberOf);
  return [
    ...seen.broken,
    ...seen.accepted.flatMap((accepted) => unkept(accepted, byNumber.get(accepted.number) ?? [], remains.work)),
    ...unexplained(seen, byNumber),
    ...disordered(seen.accepted, remains.work),
    ...lostWork(seen, remains.work),
    ...seen.costs.violations(remains.sessions),
    ...seen.acknowledged.flatMap((one) => [...lostResult(one, remains.prompts), ...lostEvent(one, remains.events)]),
    ...repeated(remains.events),
  ];
}

function unkept({ number }: Accepted, stored: readonly Prompt[], work: readonly string[]): string[] {
  const [prompt] = stored;
  if (!prompt || stored.length > 1) return [`prompt ${number} is there ${stored.length} times`];
  if (!isSettled(prompt)) return [`prompt ${number} has not ended`];
  const begun = work.filter((line) => line === `begin ${number}`).length;
  const ended = work.filter((line) => line === `end ${number}`).length;
  const found = begun > 1 || ended > 1 ? [`prompt ${number} was begun ${begun} times and done ${ended} times`] : [];
  // In a campaign no person cancels any.
  if (succeededOf(prompt)?.reason === reasons.cancelled) found.push(`prompt ${number} was cancelled`);
  if (succeededOf(prompt)?.status !== "True") return found;
  if (ended !== 1) found.push(`prompt ${number} succeeded and was done ${ended} times`);
  if (prompt.status?.result?.summary !== summaryOf(number)) found.push(`prompt ${number} has lost its result`);
  return found;
}

/** A prompt fails with the sandbox in which it is processed: never more of a session's than runtimes were killed. */
function unexplained({ accepted, killedRuntimes }: Seen, byNumber: ReadonlyMap<number, readonly Prompt[]>): string[] {
  const failed = accepted.filter(({ number }) =>
    byNumber.get(number)?.some((prompt) => isSettled(prompt) && succeededOf(prompt)?.status !== "True"),
  );
  return [...Map.groupBy(failed, ({ sessionUid }) => sessionUid)].flatMap(([sessionUid, prompts]) => {
    const kills = killedRuntimes.get(sessionUid) ?? 0;
    if (prompts.length <= kills) return [];
    const numbers = prompts.map(({ number }) => number).join(", ");
    return [`of session ${sessionUid} prompts ${numbers} failed, and ${kills} of its runtimes were killed`];
  });
}

/** Prompts of a session begin in the order in which they were accepted. */
function disordered(accepted: readonly Accepted[], work: readonly string[]): string[] {
  const sessions = Map.groupBy(accepted, ({ sessionUid }) => sessionUid);
  return [...sessions].flatMap(([sessionUid, prompts]) => {
    const wanted = prompts.map(({ number }) => `begin ${number}`);
    const begun = work.filter((line) => wanted.includes(line));
    const inOrder = wanted.filter((line) => begun.includes(line));
    return isDeepStrictEqual([...new Set(begun)], inOrder)
      ? []
      : [`session ${sessionUid} worked in the order ${begun.join(", ")}`];
  });
}

function lostResult({ message }: Acknowledged, prompts: readonly Prompt[]): string[] {
  if (message.type !== "promptFinished" || message.outcome.verdict === "cancelled") return [];
  const { prompt, summary } = message.outcome;
  const stored = prompts.find(({ metadata }) => metadata.uid === prompt.uid)?.status;
  const kept = [stored?.result?.summary, stored?.lateResult?.summary];
  return kept.includes(summary) ? [] : [`the acknowledged result of Prompt ${prompt.name} is not in its status`];
}

function lostEvent({ sessionUid, attempt, message }: Acknowledged, events: Remains["events"]): string[] {
  const stored = events.get(sessionUid)?.find((event) => event.attempt === attempt && event.seq === message.seq);
  // As it was read: without what JSON leaves out.
  const wanted: unknown = JSON.parse(JSON.stringify(recorded(message)));
  if (isDeepStrictEqual(stored?.event, wanted)) return [];
  return [`event ${attempt}.${message.seq} of session ${sessionUid}, which was acknowledged, cannot be read`];
}

function repeated(events: Remains["events"]): string[] {
  return [...events].flatMap(([sessionUid, told]) => {
    const positions = told.map(({ attempt, seq }) => `${attempt}.${seq}`);
    return new Set(positions).size === positions.length ? [] : [`session ${sessionUid} tells an event twice`];
  });
}

import type { Ledger } from "./ledger.ts";

type Seen = Pick<Ledger, "accepted" | "attempts" | "saves">;

/** A note of an agent, such as `found 17 in workspace: 15 16`. */
const note = /^(?<word>\w+) (?<number>\d+)(?: in (?<place>workspace|home):(?<found>[ \d]*))?$/;

/**
 * Prompts whose agent did not find in workspace and home what must be there: the work of the sandbox that was saved last, and
 * of the prompts before it in its own sandbox.
 */
export function lostWork({ accepted, attempts, saves }: Seen, work: readonly string[]): string[] {
  const sessions = new Map(accepted.map(({ number, sessionUid }) => [number, sessionUid]));
  /** Work that lies in the workspace of each sandbox, by session UID and attempt. */
  const workspaces = new Map<string, number[]>();
  const workspaceOf = (sessionUid: string, attempt: number): number[] => {
    const known = workspaces.get(`${sessionUid}.${attempt}`);
    if (known) return known;
    const base = saves.baseOf({ sessionUid, attempt });
    const begun = base === undefined ? [] : [...workspaceOf(sessionUid, base)];
    workspaces.set(`${sessionUid}.${attempt}`, begun);
    return begun;
  };
  return work.flatMap((line) => {
    const { word, number: text, place, found = "" } = note.exec(line)?.groups ?? {};
    const number = Number(text);
    const [sessionUid, attempt] = [sessions.get(number), attempts.get(number)];
    if (sessionUid === undefined || attempt === undefined) return [];
    const workspace = workspaceOf(sessionUid, attempt);
    if (word === "end") workspace.push(number);
    const wanted = workspace.join(" ");
    if (place === undefined || found.trim() === wanted) return [];
    return [`prompt ${number} found ${found.trim() || "nothing"} in its ${place}, not ${wanted || "nothing"}`];
  });
}

import type { PullRequestRow, RunRow, SessionRow } from "../../src/gateway/archive/schema/tables.ts";
import { aPullRequestRow, aRunRow, aSessionRow } from "../../test/support/archive-rows.ts";

const dayMs = 86_400_000;
/** All rows are in the longest window. */
const days = 90;

/** Of a company that uses it much: few have many sessions, many have few. */
const counts = { namespaces: 20, users: 300, repositoriesEach: 5, automations: 200 };

/** A Run with its session, as they are when both have ended and are gone, and what became of the pull request of some. */
export interface Made {
  run: RunRow;
  session: SessionRow;
  pullRequest: PullRequestRow | undefined;
}

export function madeAt(index: number, total: number, nowMs: number): Made {
  const random = randomOf(index);
  const created_ms = Math.floor((nowMs - (1 - index / total) * days * dayMs) / 1_000) * 1_000;
  const of = (count: number): number => Math.floor(random() ** 2 * count);
  const automation = of(counts.automations);
  const user = of(counts.users);
  const uid = uidOf(index);
  const source = ["automation", "automation", "automation", "person", "person", "agent"][Math.floor(random() * 6)];
  // A user works in two of them.
  const home = source === "person" ? user + (random() < 0.8 ? 0 : 1) : automation;
  const namespace = `team-${home % counts.namespaces}`;
  const outcome = ["completed", "completed", "completed", "failed", "cancelled"][Math.floor(random() * 5)] ?? null;
  const ended_ms = created_ms + Math.floor(random() * 3_600_000);
  const run = aRunRow(`r-${uid}`, {
    namespace,
    name: `automation-${automation}-${uid.slice(0, 10)}`,
    automation: `automation-${automation}`,
    automation_uid: `a-${uidOf(automation)}`,
    state: outcome === "cancelled" ? "failed" : (outcome ?? "completed"),
    created_ms,
    accepted_ms: created_ms + Math.floor(random() * 1_000),
    started_ms: created_ms + 1_000,
    ended_ms,
    delivery_id: uid.slice(0, 26),
    summary: "Found the cause of the alert, changed one file and ran the tests, which pass. ".repeat(2).slice(0, 150),
    branch: `fix/${uid.slice(0, 8)}`,
    commit_id: uid.replaceAll("-", "").padEnd(40, "0"),
    gone_ms: ended_ms + dayMs,
  });
  const session = aSessionRow(`s-${uid}`, {
    namespace,
    name: `${run.name}-0`,
    source: source ?? "automation",
    run_uid: source === "automation" ? run.uid : null,
    automation_uid: source === "automation" ? run.automation_uid : null,
    requested_by: source === "person" ? `user-${user}@example.com` : null,
    repository: `repository-${home % counts.namespaces}-${of(counts.repositoriesEach)}`,
    state: "idle",
    outcome,
    messages: 1 + of(9),
    cost_micro: of(3_000_000),
    created_ms,
    idle_ms: ended_ms,
    gone_ms: ended_ms + dayMs,
  });
  return { run, session, pullRequest: pullRequestOf(session, random()) };
}

/** One session in four has one; of ten, six are merged within three days, two closed and two open. `random` is below 1. */
function pullRequestOf(session: SessionRow, random: number): PullRequestRow | undefined {
  const chance = random * 4;
  if (chance >= 1) return undefined;
  const created_ms = session.idle_ms ?? session.created_ms;
  const merged_ms = chance < 0.6 ? created_ms + Math.floor(chance * 5 * dayMs) : null;
  return aPullRequestRow(`p-${session.uid}`, {
    namespace: session.namespace,
    session_uid: session.uid,
    source: session.source,
    repository: session.repository ?? "",
    state: merged_ms !== null ? "merged" : chance < 0.8 ? "closed" : "open",
    cost_micro: session.cost_micro,
    created_ms,
    merged_ms,
    gone_ms: chance < 0.8 ? created_ms + 4 * dayMs : null,
  });
}

/** Looks like a UUID, and comes in no order. */
function uidOf(index: number): string {
  const random = randomOf(index + 1_000_000_007);
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    "-",
  );
}

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

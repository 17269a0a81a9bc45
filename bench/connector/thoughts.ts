import { randomUUID } from "node:crypto";

import { systemClock } from "../../src/lib/clock.ts";
import { sleep } from "../../src/lib/sleep.ts";
import type { World } from "../../test/apiserver/connector/world.ts";
import { atPace, type Figures, figuresOf, type Pace } from "./paced.ts";

/** From the begin of a request of Linear's to the ingress until Linear has the first thought. */
export interface MeasuredThoughts {
  /** With a connector that leads. */
  steady: Figures;
  /** With a leader that is killed in the middle, and another connector beside it. */
  leaderChange: Figures;
}

/** What was not acknowledged by then has failed. */
const limitMs = 30_000;

export async function measureThoughts(world: World, pace: Pace): Promise<MeasuredThoughts> {
  const integration = await world.makeIntegration();
  const leader = await world.startConnector();
  await world.startConnector({ isStandby: true });
  const shown = whenShown(world);
  const send = async (): Promise<boolean> => {
    const agentSession = randomUUID();
    const acknowledged = shown(agentSession);
    const event = world.event("created", world.makeIssue(), agentSession, { text: "fix it" });
    const { status } = await world.send(integration, event);
    return status === 200 && (await acknowledged);
  };
  await atPace({ ...pace, seconds: 1 }, send);
  const steady = figuresOf(await atPace(pace, send));
  const kill = sleep(systemClock, (pace.seconds * 1_000) / 2).then(() => leader.kill());
  const [samples] = await Promise.all([atPace(pace, send), kill]);
  return { steady, leaderChange: figuresOf(samples) };
}

/** Gives whether Linear has an activity at an agent session within the limit. */
function whenShown({ linear }: World): (agentSession: string) => Promise<boolean> {
  const waiting = new Map<string, () => void>();
  let seen = linear.activities.length;
  linear.after = () => {
    for (const { agentSessionId } of linear.activities.slice(seen)) waiting.get(agentSessionId)?.();
    seen = linear.activities.length;
  };
  return async (agentSession) => {
    const isShown = new Promise<boolean>((resolve) => waiting.set(agentSession, () => resolve(true)));
    const ended = new AbortController();
    const isLate = sleep(systemClock, limitMs, ended.signal).then(() => false);
    return Promise.race([isShown, isLate]).finally(() => {
      ended.abort();
      waiting.delete(agentSession);
    });
  };
}

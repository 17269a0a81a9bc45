import { setTimeout as delay } from "node:timers/promises";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { envelope, makeSlackIntegration, mention, sendSlack } from "../../test/apiserver/connector/slack-world.ts";
import { World } from "../../test/apiserver/connector/world.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { percentile, rounded } from "../statistics.ts";

export interface MeasuredIntake {
  events: number;
  /** From the begin of the request to the whole answer, ingress and sender in one process. */
  p50Ms: number;
  p99Ms: number;
  /** Answers other than 200. */
  failures: number;
  writesEach: number;
}

/** Events of Slack's in threads of their own, so many a second, each sent when its time has come whatever became of earlier ones. */
export async function measureIntake(perSecond: number, seconds: number): Promise<MeasuredIntake> {
  const plane = await startEquippedControlPlane({ progress: progressOnStderr("bench"), policies: "of any release" });
  try {
    useCluster(plane);
    const world = await World.make();
    const integration = await makeSlackIntegration(world);
    const send = async (): Promise<{ ms: number; status: number }> => {
      const startMs = performance.now();
      const { status } = await sendSlack(world, integration, envelope(world, mention(world, "fix it").event));
      return { ms: performance.now() - startMs, status };
    };
    // The first ones are the compiler's.
    for (let warm = 0; warm < perSecond; warm += 1) await send();
    world.ingressProxy.seen.splice(0);
    const count = perSecond * seconds;
    const beginMs = performance.now();
    const sent: ReturnType<typeof send>[] = [];
    for (let index = 0; index < count; index += 1) {
      await delay(Math.max(0, beginMs + (index * 1_000) / perSecond - performance.now()));
      sent.push(send());
    }
    const answers = await Promise.all(sent);
    const writes = world.ingressProxy.seen.filter(({ isWrite }) => isWrite).length;
    await world.close();
    const times = answers.map(({ ms }) => ms);
    return {
      events: count,
      p50Ms: rounded(percentile(times, 0.5)),
      p99Ms: rounded(percentile(times, 0.99)),
      failures: answers.filter(({ status }) => status !== 200).length,
      writesEach: rounded(writes / count),
    };
  } finally {
    await plane.stop();
  }
}

import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "../../hack/lib/wait.ts";
import { PrebuiltImage, type Run, Session } from "../../src/api/v1alpha1/index.ts";
import { pods } from "../../src/kube/core-resources.ts";
import { deliver, type Entrance } from "../../test/e2e/support/delivery.ts";
import type { RunWatcher } from "../../test/e2e/support/follow.ts";
import { requireAnswer } from "../../test/e2e/support/sender.ts";
import { stages, type StagesMs, succeeded } from "../../test/e2e/support/stages.ts";
import { samplePayload } from "../../test/e2e/support/payload.ts";
import { untilPoolIsFull } from "../../test/e2e/support/pool.ts";
import type { Workbench } from "../../test/e2e/support/workbench.ts";
import { readAnswer } from "./agent.ts";
import { imageWay, namespace, type Way } from "./tenant.ts";

const limitMs = 600_000;
const buildLimitMs = 180_000;

/** What rounds are played with. */
export interface Stage {
  bench: Workbench;
  entrance: Entrance;
  watcher: RunWatcher;
  keys: Record<Way, string>;
  /** Sandboxes that wait before each round. */
  replicas: number;
}

/** One delivery whose agent has its prompt. */
export interface Measured {
  /** From just before the request was sent until the prompt's first byte was on the agent's standard input. */
  toPromptMs: number;
  /** From the same instant until each stage was seen by a watch. */
  stagesMs: StagesMs;
  /** Its sandbox waited in the pool. */
  isWarm: boolean;
}

/** When a delivery was sent, by the clock of this machine and by performance's. */
interface Sent {
  wallMs: number;
  monotonicMs: number;
  acceptedMs: number;
}

let lastDelivery = 0;

/** Waits until the pool is full and no other sandbox is there. */
export async function untilQuiet({ bench, replicas }: Pick<Stage, "bench" | "replicas">): Promise<void> {
  let left = 0;
  const isQuiet = async (): Promise<boolean> => {
    await untilPoolIsFull(bench, namespace);
    left = (await bench.client.list(pods, { namespace })).items.length;
    return left === replicas;
  };
  await waitUntil(isQuiet, limitMs, () => Promise.resolve(`${left} pods are there rather than ${replicas}`));
}

/** Waits until the image of its way is built. */
export async function untilBuilt({ client }: Workbench): Promise<void> {
  let image: PrebuiltImage | undefined;
  const isBuilt = async (): Promise<boolean> => {
    image = await client.get(PrebuiltImage, { namespace, name: imageWay });
    return image.status?.image !== undefined && image.status.build === undefined;
  };
  await waitUntil(isBuilt, buildLimitMs, () => Promise.resolve(`the image is built: ${JSON.stringify(image?.status)}`));
}

/** Sends a round's deliveries, each at its time whatever became of earlier ones, and waits until all their Runs have ended. */
export async function playRound(
  stage: Stage,
  way: Way,
  { deliveries, perSecond }: { deliveries: number; perSecond: number },
): Promise<Measured[]> {
  await untilQuiet(stage);
  const sent = new Map<number, Sent>();
  const { body } = await samplePayload();
  const answers = Array.from({ length: deliveries }, async (_, index) => {
    await delay((index * 1_000) / perSecond);
    const delivery = (lastDelivery += 1);
    const [wallMs, monotonicMs] = [Date.now(), performance.now()];
    await send(stage, way, { ...body, delivery: `delivery-${delivery}` });
    sent.set(delivery, { wallMs, monotonicMs, acceptedMs: performance.now() - monotonicMs });
  });
  await Promise.all(answers);
  const ended = await untilEnded(stage, sent);
  return Promise.all(ended.map((one) => measure(stage, one, sent.get(one.answer.delivery))));
}

async function send({ entrance, keys }: Stage, way: Way, body: object): Promise<void> {
  const sending = { what: "delivery", automation: `${namespace}.${way}`, key: keys[way], body };
  requireAnswer(await deliver(entrance, sending), { triggered: 1, skipped: 0 });
}

interface EndedRun {
  run: Run;
  answer: { delivery: number; promptMs: number };
}

/** The Runs of these deliveries once all have ended. Throws where one failed, or answered something else. */
async function untilEnded({ watcher }: Stage, deliveries: ReadonlyMap<number, unknown>): Promise<EndedRun[]> {
  let ended: EndedRun[] = [];
  const allHave = (): Promise<boolean> => {
    const all = watcher.runs().flatMap((run) => endedRun(run) ?? []);
    ended = all.filter(({ answer }) => deliveries.has(answer.delivery));
    return Promise.resolve(ended.length === deliveries.size);
  };
  await waitUntil(allHave, limitMs, () => Promise.resolve(`${ended.length} of ${deliveries.size} Runs ended`));
  return ended;
}

function endedRun(run: Run): EndedRun | undefined {
  const verdict = succeeded(run);
  if (verdict?.status === undefined || verdict.status === "Unknown") return undefined;
  const answer = readAnswer(run.status?.result?.summary ?? "");
  if (verdict.status === "True" && answer) return { run, answer };
  throw new Error(`Run ${run.metadata.name} ended ${verdict.reason}: ${verdict.message}`);
}

async function measure(
  { bench, watcher }: Stage,
  { run, answer: { promptMs } }: EndedRun,
  sent: Sent | undefined,
): Promise<Measured> {
  if (!sent) throw new Error(`Run ${run.metadata.name} is of no delivery`);
  const name = run.status?.sessions?.[0]?.name ?? "";
  const { status } = await bench.client.get(Session, { namespace, name });
  return {
    toPromptMs: promptMs - sent.wallMs,
    stagesMs: stagesOf(watcher.reachedMs(run.metadata.name ?? ""), sent),
    isWarm: status?.sandbox?.pool !== undefined,
  };
}

function stagesOf(reachedMs: StagesMs, { monotonicMs, acceptedMs }: Sent): StagesMs {
  const after = stages.flatMap((stage) => {
    const atMs = reachedMs[stage];
    return atMs === undefined ? [] : [[stage, atMs - monotonicMs]];
  });
  return { accepted: acceptedMs, ...(Object.fromEntries(after) as StagesMs) };
}

import { deliver, openEntrance, type Answer, type Entrance } from "./delivery.ts";
import { RunWatcher, type StartedRun } from "./follow.ts";
import type { Narrator } from "./narrator.ts";
import type { Workbench } from "./workbench.ts";

/** What a sender knows. */
export interface SenderOptions {
  namespace: string;
  /** `<namespace>.<name>`. */
  automation: string;
  key: string;
}

/** One body, under another key where that is the point. */
export interface SentDelivery {
  body: unknown;
  key?: string;
}

/** What the answer must be: the counts of a 200, or another status. */
export type WantedAnswer = { triggered: number; skipped: number } | number;

/** Sends deliveries to one Automation through the ingress Service and watches what comes of them. */
export interface Sender {
  watcher: RunWatcher;
  send(what: string, delivery: SentDelivery): Promise<Answer>;
  /** Sends a delivery that must start a Run, and finds that Run. */
  start(what: string, body: unknown): Promise<StartedRun & { answer: Answer }>;
  close(): Promise<void>;
}

/** Opens the way to the ingress and begins to watch the namespace. */
export async function openSender(bench: Workbench, options: SenderOptions, narrator: Narrator): Promise<Sender> {
  const watcher = new RunWatcher(bench, options.namespace, narrator);
  await watcher.start();
  const entrance: Entrance = await openEntrance(bench);
  const send: Sender["send"] = async (what, { body, key = options.key }) => {
    const answer = await deliver(entrance, { what, automation: options.automation, key, body });
    narrator.say(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  return {
    watcher,
    send,
    async start(what, body) {
      const known = watcher.runNames();
      const sentMs = performance.now();
      const answer = requireAnswer(await send(what, { body }), { triggered: 1, skipped: 0 });
      const acceptedMs = performance.now();
      return { answer, sentMs, acceptedMs, name: await watcher.newRun(known) };
    },
    async close() {
      entrance.close();
      await watcher.stop();
    },
  };
}

/** Gives the answer back when it is the wanted one, else throws with both. */
export function requireAnswer(answer: Answer, want: WantedAnswer): Answer {
  const { what, status, body } = answer;
  const said = `${status} ${JSON.stringify(body)}`;
  const isWanted = typeof want === "number" ? status === want : said === describeWanted(want);
  if (!isWanted) throw new Error(`${what}: should be answered ${describeWanted(want)}, and was ${said}`);
  return answer;
}

function describeWanted(want: WantedAnswer): string {
  return typeof want === "number" ? String(want) : `200 ${JSON.stringify({ ok: true, ...want, steered: 0 })}`;
}

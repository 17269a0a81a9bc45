import type { Fault, SeenRequest } from "../support/fault-proxy.ts";
import type { Payload } from "./ledger.ts";
import type { Replica } from "./replica.ts";
import { type Answer, send } from "./send.ts";
import type { DeliverStep, Trouble } from "./steps.ts";
import { automationName, type World } from "./world.ts";

/** Sends a delivery to a replica that has this trouble; a replica that dies of it is replaced. */
export async function sendInTrouble(
  world: World,
  { replica: index, trouble }: Pick<DeliverStep, "replica" | "trouble">,
  letter: { key: string | undefined; payload: Payload },
): Promise<Answer> {
  const replica = world.replicas[index];
  const kill = new AbortController();
  const { isKill, decide } = faults(trouble, kill);
  replica.proxy.decide(decide);
  const sent = send({ ...letter, url: replica.url, id: world.automationId, signal: kill.signal });
  const answer = await giveTime(world, replica, sent);
  replica.proxy.decide(undefined);
  if (isKill && kill.signal.aborted) {
    // Nothing that it would do next is done; what it knows of deliveries may still be logged.
    replica.proxy.decide((request) => (isCreate(request) ? { kind: "refuse" } : undefined));
    await world.replaceReplica(index);
  }
  return answer;
}

/** A replica that has no request under way and gives no answer waits for time; it gets what it needs, and no more. */
async function giveTime(world: World, replica: Replica, sent: Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined;
  void sent.then((given) => (answer = given));
  while (answer === undefined) {
    await world.commons.observation.changed(world.namespace, 5);
    if (replica.proxy.underWay() === 0) world.clock.ingress.advance(5);
  }
  return answer;
}

type Decision = (request: SeenRequest) => Fault | undefined;

/** How a trouble shows between a replica and its API server. */
function faults(trouble: Trouble, kill: AbortController): { isKill: boolean; decide: Decision | undefined } {
  let creates = 0;
  const onCreate =
    (fault: (count: number) => Fault | undefined): Decision =>
    (request) => {
      if (!isCreate(request)) return undefined;
      creates += 1;
      return kill.signal.aborted ? { kind: "refuse" } : fault(creates);
    };
  const die = (): void => kill.abort();
  switch (trouble) {
    case "none":
      return { isKill: false, decide: undefined };
    case "answerLost":
      return { isKill: false, decide: onCreate((count) => (count === 1 ? { kind: "lose" } : undefined)) };
    case "refused":
      return { isKill: false, decide: onCreate((count) => (count === 1 ? { kind: "refuse" } : undefined)) };
    case "everyAnswerLost":
      return { isKill: false, decide: onCreate(() => ({ kind: "lose" })) };
    case "apiServerBusy":
      return { isKill: false, decide: onCreate(() => ({ kind: "answer", status: 503 })) };
    case "readFails":
      return {
        isKill: false,
        decide: (request) => (isRead(request) ? { kind: "answer", status: 500 } : undefined),
      };
    case "killedBefore":
      return {
        isKill: true,
        decide: onCreate(() => {
          die();
          return { kind: "refuse" };
        }),
      };
    case "killedAfter":
      return { isKill: true, decide: onCreate(() => ({ kind: "between", run: die })) };
  }
}

/** A Run is created. */
export function isCreate({ method, path }: SeenRequest): boolean {
  return method === "POST" && path.includes("/runs");
}

/** The Automation is read, by which a delivery is judged. */
export function isRead({ method, path, isWatch }: SeenRequest): boolean {
  return method === "GET" && !isWatch && path.includes(`/automations/${automationName}`);
}

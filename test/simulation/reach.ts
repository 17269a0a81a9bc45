import type { Faults } from "./faults.ts";
import type { Network } from "./network.ts";
import type { ProcessClock } from "./virtual-clock.ts";

/** What lies between processes and services. */
export interface Between {
  network: Network;
  faults: Faults;
}

/** A process that calls. */
export interface Caller {
  clock: ProcessClock;
}

/** Something outside the cluster that processes call. */
interface Service {
  /** Names it in errors. */
  name: string;
  isAway(): boolean;
}

/** Has a service carry something out once a request has reached it; the request or its answer may be lost. */
export function reach<Answer>(
  { network, faults }: Between,
  { clock }: Caller,
  service: Service,
  run: () => Answer,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const channel = network.open();
  network.send(channel, () => {
    const fault = faults.ofRequest();
    const isReached = !service.isAway() && (fault === undefined || fault === "unanswered");
    const settle = isReached ? settled(run) : undefined;
    const isAnswered = settle !== undefined && fault === undefined;
    network.send(channel, () =>
      clock.inTurn(() => {
        if (isAnswered) settle(resolve, reject);
        else reject(new Error(`${service.name} did not answer`));
      }),
    );
  });
  return promise;
}

type Settle<Answer> = (resolve: (answer: Answer) => void, reject: (error: unknown) => void) => void;

/** Runs something at once, and tells how it went later. */
function settled<Answer>(run: () => Answer): Settle<Answer> {
  try {
    const answer = run();
    return (resolve) => resolve(answer);
  } catch (error) {
    return (_resolve, reject) => reject(error);
  }
}

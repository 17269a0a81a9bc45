/**
 * A process that wants to lead and, while it does, counts up in a ConfigMap of its own as fast as it can. Arguments:
 * kubeconfig file, namespace, identity, seconds of the lease (the deadline is two thirds of it). It prints `leading` and
 * `lost` with the milliseconds of the wall clock. SIGUSR2 freezes it between two writes: one that was handed to its socket
 * before might be sent when it wakes.
 */
import { configMaps } from "../../../src/kube/core-resources.ts";
import { LeaderElection } from "../../../src/kube/leader-election.ts";
import { NotLeadingError } from "../../../src/kube/outcome.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { clientOf } from "../../support/kube.ts";

const [file = "", namespace = "", identity = "", leaseSeconds = ""] = process.argv.slice(2);
const leaseDurationMs = Number(leaseSeconds) * 1_000;
const renewDeadlineMs = (leaseDurationMs * 2) / 3;
const { client } = clientOf({ file });
const election = new LeaderElection(
  { client, clock: systemClock, random: systemRandom },
  { namespace, name: "leader", identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs: 300 },
);
const fenced = election.fence(client);
// Our own timers keep no process alive.
setInterval(() => undefined, 1_000);

function say(what: string): void {
  process.stdout.write(`${what} ${Date.now()}\n`);
}

void election.lost.then(() => {
  say("lost");
  process.exit(3);
});
const freezes: NodeJS.Signals[] = [];
process.on("SIGUSR2", (signal) => freezes.push(signal));
process.on("SIGTERM", () => void election.release().then(() => process.exit(0)));

await election.campaign(new AbortController().signal);
say("leading");
for (let count = 1; ; count += 1) {
  const metadata = { name: `written-by-${identity}` };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { count: `${count}`, at: `${Date.now()}` } };
  const options = { type: "apply", fieldManager: identity, timeoutMs: 1_000 } as const;
  try {
    await fenced.patch(configMaps, { namespace, name: metadata.name }, body, options);
  } catch (error) {
    if (error instanceof NotLeadingError) say("refused");
  }
  if (freezes.pop()) process.kill(process.pid, "SIGSTOP");
}

// Tries to connect to each target and reports which let it. `globalThis.given` is the table.
import { Resolver } from "node:dns/promises";
import { connect } from "node:net";

const limitMs = 1_500;
const { targets } = globalThis.given;

/** "open", or why not: "refused" says that packets went there and back all the same. */
function tryTcp({ address, port }) {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: limitMs });
    const end = (outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on("connect", () => end("open"));
    socket.on("timeout", () => end("dropped"));
    socket.on("error", ({ code }) => end(code === "ECONNREFUSED" ? "refused" : code));
  });
}

/** Asks a DNS server for a name of the cluster. */
function tryDns({ address, port }) {
  const resolver = new Resolver({ timeout: limitMs, tries: 1 });
  resolver.setServers([`${address}:${port}`]);
  return resolver.resolve4("kubernetes.default.svc.cluster.local").then(
    () => "open",
    ({ code }) => (code === "ETIMEOUT" ? "dropped" : code),
  );
}

const tries = { tcp: tryTcp, dns: tryDns };
const outcomes = await Promise.all(
  Object.entries(targets).map(async ([name, target]) => [name, await tries[target.by](target)]),
);
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(Object.fromEntries(outcomes)) }));

// A development server that the agent keeps up for a while. `globalThis.given` names its port and how long.
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const { port, forMs } = globalThis.given;
const server = createServer((socket) => void socket.end()).listen(port);
await delay(forMs);
server.close();

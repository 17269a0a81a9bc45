// Servers of the world outside: a connection that is accepted says that nothing stopped it.
import { createServer } from "node:net";

for (const port of [80, 443, 8080]) createServer((socket) => void socket.end()).listen(port, "0.0.0.0");

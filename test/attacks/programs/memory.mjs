// Takes more memory than the agent's container has.
import { Buffer } from "node:buffer";

const taken = [];
for (;;) taken.push(Buffer.alloc(32 * 1024 * 1024, 1));

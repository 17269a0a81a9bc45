import { request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** What a flood is made of; it goes on until the thread gets a message. */
export interface FloodOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Length of each body. */
  bytes: number;
  inFlight: number;
}

/** How often each status was answered; `broken` where there was no answer. */
export type FloodAnswers = Record<string, number>;

const { url, headers, bytes, inFlight } = workerData as FloodOptions;
const body = Buffer.alloc(bytes, " ");
const answers: FloodAnswers = {};
let isOver = false;

parentPort?.once("message", () => (isOver = true));

const lane = async (): Promise<void> => {
  while (!isOver) {
    const status = await post();
    // The first answer says that the flood has begun.
    if (Object.keys(answers).length === 0) parentPort?.postMessage(answers);
    answers[status] = (answers[status] ?? 0) + 1;
  }
};
await Promise.all(Array.from({ length: inFlight }, lane));
parentPort?.postMessage(answers);

function post(): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", headers: { ...headers, "content-length": bytes } }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(String(answer.statusCode)));
    });
    sent.on("error", () => resolve("broken"));
    sent.end(body);
  });
}

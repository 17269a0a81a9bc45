import type { SessionEvent } from "../../api/runtime/session-event.ts";
import { plainText } from "../../api/runtime/text.ts";

type Happened = SessionEvent["event"];
type Output = Extract<Happened, { kind: "output" }>;

const phases = {
  restore: "restores the saved workspace",
  clone: "clones",
  setup: "setup.sh",
  start: "start.sh",
  agent: "starts the agent",
} as const;
const verdicts = { succeeded: "has succeeded", failed: "has failed", cancelled: "was cancelled" } as const;

type Words = { [Kind in Exclude<Happened, Output>["kind"]]: (event: Extract<Happened, { kind: Kind }>) => string };

const words: Words = {
  bootProgress: ({ phase, repository }) => `${phases[phase]}${repository === undefined ? "" : ` of ${repository}`}`,
  ready: () => "ready",
  built: ({ result, commits }) =>
    result === "Unchanged" ? "nothing new" : `built ${commits.map(({ commit }) => commit.slice(0, 12)).join(", ")}`,
  bootFailed: ({ message }) => `boot has failed: ${oneLine(message)}`,
  promptStarted: () => "a prompt begins",
  promptFinished: ({ prompt, verdict, message, branch }) =>
    [
      `prompt ${oneLine(prompt.name)} ${verdicts[verdict]}`,
      message === undefined ? "" : `: ${oneLine(message)}`,
      branch === undefined ? "" : `; branch ${oneLine(branch)}`,
    ].join(""),
  tool: ({ title, state }) => `tool ${oneLine(title)}${state === "" ? "" : ` (${oneLine(state)})`}`,
  warning: ({ message }) => `warning: ${oneLine(message)}`,
  dropped: ({ message }) => oneLine(message),
};

/** An event in a few words, on one line and without what could mislead readers. */
export function eventInWords(event: Exclude<Happened, Output>): string {
  // The table has an entry for each kind that takes events of this kind.
  const say = words[event.kind] as (event: Happened) => string;
  return say(event);
}

/** Makes one line of a sandbox's text, which must not be able to look like a line of Runwright. */
function oneLine(text: string): string {
  return plainText(text, text.length).replace(/\s+/g, " ").trim();
}

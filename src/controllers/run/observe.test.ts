import { expect, it } from "vitest";

import { Prompt, type Run, Session } from "../../api/v1alpha1/index.ts";
import { anAutomation, aRun, now } from "./fake-facts.ts";
import type { Child } from "./facts.ts";
import { RunObserver, type RunObserverDeps } from "./observe.ts";
import { makeFirstPrompt, makeSession } from "./resources.ts";

const automation = anAutomation();
const run: Run = { ...aRun(), status: { startTime: now.toISOString(), sessions: [{ name: "run-0" }] } };
const session: Session = withUid(makeSession(run, automation, 0), "session-uid");
const formerRun = aRun({}, { uid: "former-run-uid" });
const formerSession = withUid(makeSession(formerRun, automation, 0), "former-session-uid");

function withUid<T extends Session | Prompt>(object: T, uid: string): T {
  return { ...object, metadata: { ...object.metadata, uid } };
}

interface World {
  sessions: Session;
  prompts?: Prompt | undefined;
}

/** The Run's session as it is followed, where caches and API server have these. */
async function followed(cached: World, stored: World): Promise<Child | undefined> {
  const live = new Map<unknown, unknown>([
    [Session, stored.sessions],
    [Prompt, stored.prompts],
  ]);
  const informers = {
    automations: { get: () => automation },
    runs: { byIndex: () => [run] },
    sessions: { get: () => cached.sessions },
    prompts: { get: () => cached.prompts },
    sandboxClasses: { list: () => [] },
  };
  const client = { find: (resource: unknown) => Promise.resolve(live.get(resource)) };
  const observer = new RunObserver({ informers, client } as unknown as RunObserverDeps);
  const { children } = await observer.follow(run, now, new AbortController().signal);
  return children[0];
}

it("the session of a former Run of this name that a cache still shows is not taken for a deletion of this one's", async () => {
  const prompt = makeFirstPrompt(run, automation, session);
  const child = await followed({ sessions: formerSession }, { sessions: session, prompts: prompt });
  expect(child).toMatchObject({ session, prompt });
});

it.each([
  { whose: "this one's session", prompt: makeFirstPrompt(run, automation, session), isOurs: true },
  { whose: "a former session of that name", prompt: makeFirstPrompt(run, automation, formerSession), isOurs: false },
])("the first prompt of $whose is the Run's: $isOurs", async ({ prompt, isOurs }) => {
  const world = { sessions: session, prompts: prompt };
  const child = await followed(world, world);
  expect(child?.session).toBe(session);
  expect(child?.prompt).toBe(isOurs ? prompt : undefined);
});

import { expect, it } from "vitest";

import type { Prompt, Run, Session, SessionStatus } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { promptsInTurn } from "./prompts-in-turn.ts";

const prompt = (name: string): Prompt => ({ metadata: { name }, spec: { sessionRef: { name: "fix" }, text: "x" } });
const [first, second, third] = [prompt("fix-1"), prompt("fix-asked"), prompt("fix-later")];

function aSession({
  labels = { "runwright.dev/run-uid": "r" },
  status,
}: { labels?: object; status?: SessionStatus } = {}): Session {
  return {
    metadata: {
      name: "fix",
      namespace: "shop",
      labels: { ...labels },
      ownerReferences: [{ apiVersion: "runwright.dev/v1alpha1", kind: "Run", name: "fix-run", uid: "r" }],
    },
    spec: { target: {}, serviceAccountName: "runner", idleTimeoutSeconds: 0 },
    ...(status ? { status } : {}),
  };
}

function aRun(uid: string, verdict: "Unknown" | "False"): Run {
  const time = "2026-05-04T10:00:00Z";
  const condition = { type: "Succeeded", status: verdict, reason: "Any", message: "", lastTransitionTime: time };
  return {
    metadata: { name: "fix-run", namespace: "shop", uid },
    spec: { automationRef: { name: "some" }, trigger: { type: "Manual" } },
    status: { conditions: [condition] },
  };
}

const clientWith = (run: Run | undefined): Pick<KubeClient, "find"> => ({
  find: (() => Promise.resolve(run)) as unknown as KubeClient["find"],
});
const open = aRun("r", "Unknown");

it.each([
  { name: "no Run's", session: aSession({ labels: {} }), want: { prompts: [second, third] } },
  { name: "a Run's", session: aSession(), want: { prompts: [], awaitsFirst: true } },
  {
    name: "a Run's that has begun",
    session: aSession({ status: { queue: ["u"] } }),
    want: { prompts: [second, third] },
  },
  {
    name: "a Run's whose first prompt has ended and was deleted",
    session: aSession({ status: { promptsEnded: 1 } }),
    want: { prompts: [second, third] },
  },
  { name: "a Run's that has ended", session: aSession(), run: aRun("r", "False"), want: { prompts: [second, third] } },
  {
    name: "another Run's of that name",
    session: aSession(),
    run: aRun("s", "Unknown"),
    want: { prompts: [second, third] },
  },
])("of a session that is $name, the prompts of people are looked at or not", async ({ session, run = open, want }) => {
  expect(await promptsInTurn(clientWith(run), session, [second, third])).toEqual(want);
});

it("of a session whose Run is gone, the prompts of people are looked at", async () => {
  expect(await promptsInTurn(clientWith(undefined), aSession(), [second])).toEqual({ prompts: [second] });
});

it("looks at the Run's own prompt first, whenever it was stored", async () => {
  expect(await promptsInTurn(clientWith(open), aSession(), [second, first, third])).toEqual({
    prompts: [first, second, third],
  });
});

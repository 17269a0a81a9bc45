import { expect, it } from "vitest";

import type { Run, Session, SessionStatus } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { aPrompt, aRun, aSession } from "../../../../test/support/builders.ts";
import { promptsInTurn } from "./prompts-in-turn.ts";

const first = aPrompt({ metadata: { name: "fix-1" } });
const second = aPrompt({ metadata: { name: "fix-asked" } });
const third = aPrompt({ metadata: { name: "fix-later" } });

function sessionOfRun({
  labels = { "runwright.dev/run-uid": "r" },
  status,
}: { labels?: Record<string, string>; status?: SessionStatus } = {}): Session {
  const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Run", name: "fix-run", uid: "r" };
  return aSession({ metadata: { namespace: "shop", labels, ownerReferences: [owner] }, status });
}

function runWith(uid: string, verdict: "Unknown" | "False"): Run {
  const time = "2026-05-04T10:00:00Z";
  const condition = { type: "Succeeded", status: verdict, reason: "Any", message: "", lastTransitionTime: time };
  return aRun({ metadata: { namespace: "shop", uid }, status: { conditions: [condition] } });
}

const clientWith = (run: Run | undefined): Pick<KubeClient, "find"> => ({
  find: (() => Promise.resolve(run)) as unknown as KubeClient["find"],
});
const open = runWith("r", "Unknown");

it.each([
  { name: "no Run's", session: sessionOfRun({ labels: {} }), want: { prompts: [second, third] } },
  { name: "a Run's", session: sessionOfRun(), want: { prompts: [], awaitsFirst: true } },
  {
    name: "a Run's that has begun",
    session: sessionOfRun({ status: { queue: ["u"] } }),
    want: { prompts: [second, third] },
  },
  {
    name: "a Run's whose first prompt has ended and was deleted",
    session: sessionOfRun({ status: { promptsEnded: 1 } }),
    want: { prompts: [second, third] },
  },
  {
    name: "a Run's that has ended",
    session: sessionOfRun(),
    run: runWith("r", "False"),
    want: { prompts: [second, third] },
  },
  {
    name: "another Run's of that name",
    session: sessionOfRun(),
    run: runWith("s", "Unknown"),
    want: { prompts: [second, third] },
  },
])("of a session that is $name, the prompts of people are looked at or not", async ({ session, run = open, want }) => {
  expect(await promptsInTurn(clientWith(run), session, [second, third])).toEqual(want);
});

it("of a session whose Run is gone, the prompts of people are looked at", async () => {
  expect(await promptsInTurn(clientWith(undefined), sessionOfRun(), [second])).toEqual({ prompts: [second] });
});

it("looks at the Run's own prompt first, whenever it was stored", async () => {
  expect(await promptsInTurn(clientWith(open), sessionOfRun(), [second, first, third])).toEqual({
    prompts: [first, second, third],
  });
});

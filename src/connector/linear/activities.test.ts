import { expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { startIssue } from "./activities.ts";
import type { LinearApi } from "./linear-api.ts";

/** Moves an issue that is in a state of this type as often as asked; gives the states that it was moved to. */
async function moved(type: string, times = 1): Promise<string[]> {
  const states = [
    { id: "review", type: "started", position: 3 },
    { id: "doing", type: "started", position: 2 },
    { id: "done", type: "completed", position: 1 },
  ];
  let state = { id: "first", type };
  const moves: string[] = [];
  const answers: Record<string, (variables: { input?: { stateId: string } }) => unknown> = {
    issue: () => ({ issue: { id: "i", team: { id: "t" }, state: { id: state.id } } }),
    issueNames: () => ({ workflowState: state }),
    startedStates: () => ({ team: { states: { nodes: states } } }),
    moveIssue({ input }) {
      state = states.find(({ id }) => id === input?.stateId) ?? state;
      moves.push(state.id);
      return { issueUpdate: { success: true } };
    },
  };
  const call = (_integration: unknown, { name }: { name: string }, variables: object): Promise<unknown> =>
    Promise.resolve(answers[name]?.(variables));
  const linear = { call } as unknown as Pick<LinearApi, "call">;
  for (let time = 0; time < times; time += 1) await startIssue(linear, {} as Integration, "i");
  return moves;
}

it.each(["triage", "backlog", "unstarted"])(
  "an issue in a state of type %s moves to the first started one",
  async (type) => {
    expect(await moved(type)).toEqual(["doing"]);
  },
);

it.each(["started", "completed", "canceled", "duplicate"])("an issue in a state of type %s stays", async (type) => {
  expect(await moved(type)).toEqual([]);
});

it("an issue for which two sessions were started moves once", async () => {
  expect(await moved("backlog", 2)).toEqual(["doing"]);
});

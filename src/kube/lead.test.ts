import { expect, it } from "vitest";
import { lead } from "./lead.ts";

/** An election whose outcome the test decides, and what became of the work. */
function world(begin: () => Promise<unknown> = () => Promise.resolve()) {
  const campaign = Promise.withResolvers<boolean>();
  const lost = Promise.withResolvers<undefined>();
  const stop = new AbortController();
  let begun = 0;
  const errors: unknown[] = [];
  const ended = lead(
    { campaign: () => campaign.promise, lost: lost.promise },
    {
      signal: stop.signal,
      begin() {
        begun += 1;
        return begin();
      },
      log: { error: (...said: unknown[]) => void errors.push(said) },
    },
  );
  return { campaign, lost, ended, errors, begun: () => begun };
}

const undecided = Symbol("undecided");
async function now(ended: Promise<string>): Promise<string | symbol> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return Promise.race([ended, Promise.resolve(undecided)]);
}

it("begins once it leads, and ends when leadership is lost", async () => {
  const { campaign, lost, ended, begun } = world();
  expect([await now(ended), begun()]).toEqual([undecided, 0]);
  campaign.resolve(true);
  expect([await now(ended), begun()]).toEqual([undecided, 1]);
  lost.resolve(undefined);
  expect(await now(ended)).toBe("leadership was lost");
});

it("neither begins nor ends after a campaign that was stopped", async () => {
  const { campaign, ended, begun } = world();
  campaign.resolve(false);
  expect([await now(ended), begun()]).toEqual([undecided, 0]);
});

it.each([
  { what: "work that cannot begin", settle: "resolve" as const },
  { what: "a campaign that fails", settle: "reject" as const },
])("ends after $what, and logs why", async ({ settle }) => {
  const { campaign, ended, errors } = world(() => Promise.reject(new Error("no network")));
  if (settle === "resolve") campaign.resolve(true);
  else campaign.reject(new Error("a bug"));
  expect(await now(ended)).toBe("the leader could not begin to work");
  expect(errors).toHaveLength(1);
});
